import type { Ready } from './ready-file';

/** What the user needs to begin, in a few lines. */
export function card(ready: Ready, models: readonly string[], stateDir: string, seconds: string): string {
  const body = JSON.stringify({ model: models[0], messages: [{ role: 'user', content: 'Hello!' }] });
  return `
  svc is ready after ${seconds} s. Test network; the demo models are simulated.

    Base URL   ${ready.gateway}/v1
    Test key   ${ready.apiKey}
    Models     ${models.join(', ')}
    Try it     curl ${ready.gateway}/v1/chat/completions -H 'authorization: Bearer ${ready.apiKey}' -H 'content-type: application/json' -d '${body}'
    Details    ${stateDir}/ready.json, logs in ${stateDir}/logs
    Stop       Ctrl-C
`;
}
