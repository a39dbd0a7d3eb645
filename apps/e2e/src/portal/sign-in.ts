import type { Signer } from 'ethers';
import { Wallet } from 'ethers';
import type { BrowserContext, Page } from 'playwright-core';
import { portalUrl } from './browser';

/** What `GET /portal/api/session` says. */
interface SessionView {
  wallet: string;
  is_operator: boolean;
  expires_at: string;
  csrf_token: string;
}

interface PortalConfig {
  chain: { id: number };
  development_wallets: { label: string; private_key: string; address: string }[];
}

export async function portalConfig(): Promise<PortalConfig> {
  const reply = await fetch(portalUrl('/api/config'));
  return (await reply.json()) as PortalConfig;
}

/** A development wallet of the local chain, by a word of its label. */
export async function developmentWallet(role: 'buyer' | 'provider' | 'operator'): Promise<Wallet> {
  const { development_wallets: wallets } = await portalConfig();
  const found = wallets.find(({ label }) => label.toLowerCase().includes(role));
  if (!found) throw new Error(`no development wallet is called ${role}`);
  return new Wallet(found.private_key);
}

/**
 * Signs the visitor in without the page: the same calls, the same cookie. For specs about something else; the sign-in page has its own.
 * @returns the session, with the token for calls that change something
 */
export async function signIn(page: Page, signer: Signer): Promise<SessionView> {
  const { chain } = await portalConfig();
  const { nonce } = (await post(page.context(), '/api/session/nonce', {})) as { nonce: string };
  const message = await signInMessage(signer, chain.id, nonce);
  const signature = await signer.signMessage(message);
  return (await post(page.context(), '/api/session', { message, signature })) as SessionView;
}

/** The text of EIP-4361 that a wallet shows. */
export async function signInMessage(signer: Signer, chainId: number, nonce: string): Promise<string> {
  const { host, origin } = new URL(portalUrl());
  return [
    `${host} wants you to sign in with your Ethereum account:`,
    await signer.getAddress(),
    '',
    'Sign in to the svc portal.',
    '',
    `URI: ${origin}/portal`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date().toISOString()}`,
  ].join('\n');
}

async function post(context: BrowserContext, path: string, data: object): Promise<unknown> {
  const { origin } = new URL(portalUrl());
  const reply = await context.request.post(portalUrl(path), { data, headers: { origin } });
  if (!reply.ok()) throw new Error(`${path}: ${reply.status()} ${await reply.text()}`);
  return reply.json();
}
