import { billingContracts } from '@svc/contracts';
import type { VerifySignatureRequest } from '@svc/contracts';
import { localChainId } from '@svc/local-servers';
import { Wallet, verifyMessage } from 'ethers';
import { createSiweMessage } from 'viem/siwe';
import type { SiweMessage } from 'viem/siwe';
import type { FakeService } from './fake-service.for-spec';

/** Billing's part in signing in, for accounts' keys; `FakeBilling` knows nothing of it. */
export async function answerSignIns(billing: FakeService): Promise<void> {
  await billing.answer(billingContracts.verifySignature, (request) => ({ isValid: isSigned(request) }));
}

function isSigned({ wallet, message, signature }: VerifySignatureRequest): boolean {
  try {
    return verifyMessage(message, signature).toLowerCase() === wallet;
  } catch {
    return false;
  }
}

/** What a browser keeps of `Set-Cookie` headers, as its `Cookie` header. */
export function cookiesIn(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((header) => header.split(';', 1)[0] ?? '')
    .filter((pair) => !pair.endsWith('='))
    .join('; ');
}

/** A browser with a wallet and the sign-in page open. Everything that an attacker would do otherwise can be. */
export class SigningBrowser {
  readonly wallet = Wallet.createRandom();
  cookies = '';

  constructor(private readonly url: string) {}

  get address(): string {
    return this.wallet.address.toLowerCase();
  }

  /** @param headers what differs */
  async nonce(headers: Record<string, string> = {}): Promise<string> {
    const reply = await this.post('/session/nonce', {}, headers);
    if (reply.status !== 200) throw new Error(`no nonce: ${reply.status} ${await reply.text()}`);
    this.cookies = cookiesIn(reply);
    return ((await reply.json()) as { nonce: string }).nonce;
  }

  /** @param fields what differs from what the page writes */
  message(nonce: string, fields: Partial<SiweMessage> = {}): string {
    return createSiweMessage({
      domain: new URL(this.url).host,
      address: this.wallet.address as `0x${string}`,
      statement: 'Sign in to the marketplace.',
      uri: this.url,
      version: '1',
      chainId: localChainId,
      nonce,
      issuedAt: new Date(),
      expirationTime: new Date(Date.now() + 60_000),
      ...fields,
    });
  }

  /** Signs a message and sends it. */
  async signIn(message: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.send(message, await this.wallet.signMessage(message), headers);
  }

  send(message: string, signature: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.post('/session', { message, signature }, headers);
  }

  /** As the page does it. */
  async signInProperly(): Promise<Response> {
    const reply = await this.signIn(this.message(await this.nonce()));
    if (reply.status === 201) this.cookies = cookiesIn(reply);
    return reply;
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.url}/portal/api${path}`, { headers: { cookie: this.cookies } });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}/portal/api${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: this.url,
        ...(this.cookies !== '' && { cookie: this.cookies }),
        ...headers,
      },
      body: JSON.stringify(body),
    });
  }
}
