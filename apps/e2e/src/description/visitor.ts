import type { Signer } from 'ethers';
import { portalConfig, signInMessage } from '../portal/sign-in';

/** Signs in as the page does, without a browser. @returns what the session's requests carry */
export async function signedIn(gateway: string, signer: Signer): Promise<Record<string, string>> {
  const headers = { origin: gateway, 'content-type': 'application/json' };
  const asked = await fetch(`${gateway}/portal/api/session/nonce`, { method: 'POST', headers });
  const { nonce } = (await asked.json()) as { nonce: string };
  const message = await signInMessage(signer, (await portalConfig()).chain.id, nonce);
  const reply = await fetch(`${gateway}/portal/api/session`, {
    method: 'POST',
    headers: { ...headers, cookie: cookiesOf(asked) },
    body: JSON.stringify({ message, signature: await signer.signMessage(message) }),
  });
  const { csrf_token: token } = (await reply.json()) as { csrf_token: string };
  return { origin: gateway, cookie: cookiesOf(reply), 'x-svc-csrf': token };
}

function cookiesOf(reply: Response): string {
  const pairs = reply.headers.getSetCookie().map((header) => header.split(';', 1)[0] ?? '');
  return pairs.filter((pair) => !pair.endsWith('=')).join('; ');
}
