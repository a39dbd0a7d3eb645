import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { computeAddress } from 'ethers';
import { portalEnvironment, portalUrl } from './portal-environment';
import type { StackContext } from './stack-context';

const addresses = { natsUrl: '', databaseUrl: '', chainRpcUrl: 'http://127.0.0.1:8545', chainId: 31_337 };

function contextWith(gateways: number, external: { chainRpcUrl?: string } = {}): StackContext {
  return {
    options: { external, replicas: { gateway: gateways, dispatch: 1 } },
    paths: { root: '/clone' },
    ports: { of: (name: string) => Promise.resolve(name === 'gateway' ? 8_080 : 40_000) },
  } as unknown as StackContext;
}

describe('portalEnvironment', () => {
  it('names every gateway by both of its hosts', async () => {
    const { PORTAL_ORIGINS } = await portalEnvironment(contextWith(2), addresses);
    expect(PORTAL_ORIGINS?.split(',')).toEqual([
      'http://127.0.0.1:8080',
      'http://127.0.0.1:40000',
      'http://localhost:8080',
      'http://localhost:40000',
    ]);
  });

  it('also names those that the caller does', async () => {
    process.env.PORTAL_ORIGINS = 'http://localhost:5173';
    const { PORTAL_ORIGINS } = await portalEnvironment(contextWith(1), addresses);
    delete process.env.PORTAL_ORIGINS;
    expect(PORTAL_ORIGINS).toMatch(/^http:\/\/127\.0\.0\.1:8080,.*,http:\/\/localhost:5173$/);
  });

  it('names the directory of the page where there is one: a gateway takes no other', async () => {
    const root = mkdtempSync(join(tmpdir(), 'svc-clone-'));
    const context = { ...contextWith(1), paths: { root } } as StackContext;
    expect(await portalEnvironment(context, addresses)).not.toHaveProperty('PORTAL_DIR');
    mkdirSync(join(root, 'apps/portal/dist'), { recursive: true });
    expect((await portalEnvironment(context, addresses)).PORTAL_DIR).toBe(join(root, 'apps/portal/dist'));
    rmSync(root, { recursive: true });
  });

  it('gives development wallets on the local chain, the last of which is the operator', async () => {
    const given = await portalEnvironment(contextWith(1), addresses);
    const wallets = given.PORTAL_DEVELOPMENT_WALLETS?.split(',').map((one) => one.split('=')) ?? [];
    expect(wallets.map(([label]) => label)).toEqual(['Buyer', 'Provider', 'Operator']);
    expect(given.OPERATOR_WALLETS).toBe(computeAddress(wallets.at(-1)?.[1] ?? '').toLowerCase());
    expect(given).toMatchObject({ PORTAL_FAUCET: 'on', PORTAL_CHAIN_RPC_URL: addresses.chainRpcUrl });
  });

  it('gives neither keys, nor operators, nor the services’ way to the chain on somebody else’s', async () => {
    const external = { chainRpcUrl: 'https://chain.example/secret' };
    const given = await portalEnvironment(contextWith(1, external), {
      ...addresses,
      ...external,
      chainId: 1,
    });
    expect(Object.keys(given).sort()).toEqual([
      'CHAIN_ID',
      'PORTAL_ORIGINS',
      'PORTAL_REQUESTS_PER_MINUTE',
      'PORTAL_SIGN_INS_PER_MINUTE',
    ]);
    expect(JSON.stringify(given)).not.toContain('secret');
  });
});

describe('portalUrl', () => {
  it('is null while the page is not built', () => {
    expect(portalUrl('/nowhere', 'http://127.0.0.1:8080')).toBeNull();
  });
});
