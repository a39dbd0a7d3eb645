import type { EnvironmentName } from '@svc/environment';
import type { MissingOffer } from './join-market';
import type { Ready } from './ready-file';

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
  const body = JSON.stringify({ model: models[0], messages: [{ role: 'user', content: 'Hello!' }] });
  return `
  svc is ready after ${seconds} s. ${environments[ready.environment]}${chain}; the demo models are simulated.

${portal}    Base URL   ${ready.gateway}/v1
    API key    ${ready.apiKey}
    Models     ${models.join(', ')}
${notLive}    Try it     curl ${ready.gateway}/v1/chat/completions -H 'authorization: Bearer ${ready.apiKey}' -H 'content-type: application/json' -d '${body}'
    Details    ${stateDir}/ready.json, logs in ${stateDir}/logs
    Stop       Ctrl-C
`;
}
