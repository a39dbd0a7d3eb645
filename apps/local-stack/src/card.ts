import type { EnvironmentName } from '@svc/environment';
import type { Ready } from '@svc/local-servers';
import type { MissingOffer } from './join-market';

const environments: Readonly<Record<EnvironmentName, string>> = {
  testnet: 'Test network',
  production: 'Production environment',
};

/** What the user needs to begin, in a few lines. */
export function card(
  ready: Ready,
  market: { models: readonly string[]; missing: readonly MissingOffer[]; isChainLocal: boolean },
  stateDir: string,
  seconds: string,
): string {
  const { models } = market;
  const chain = market.isChainLocal ? ', on a local chain whose USDC is worth nothing' : '';
  const notLive = market.missing.map(({ model, reason }) => `    Not live   ${model}: ${reason}\n`).join('');
  const portal = ready.portal === null ? '' : `    Portal     ${ready.portal}\n`;
  const served =
    models.length > 0 ? models.join(', ') : `none is live; ${ready.gateway}/v1/models has them once they are`;
  return `
  svc is ready after ${seconds} s. ${environments[ready.environment]}${chain}; the demo models are simulated.

${portal}    Base URL   ${ready.gateway}/v1
    API key    ${ready.apiKey}
    Models     ${served}
${notLive}${tryIt(ready, models)}    Details    ${stateDir}/ready.json, logs in ${stateDir}/logs
    Stop       Ctrl-C
`;
}

/** A request for the first model; nothing while there is none to ask for. */
function tryIt({ gateway, apiKey }: Ready, [model]: readonly string[]): string {
  if (model === undefined) return '';
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] });
  return `    Try it     curl ${gateway}/v1/chat/completions -H 'authorization: Bearer ${apiKey}' -H 'content-type: application/json' -d '${body}'\n`;
}
