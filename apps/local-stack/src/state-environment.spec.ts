import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENVIRONMENTS } from '@svc/environment';
import { stackPaths } from './stack.config';
import { refuseOthersState } from './state-environment';

describe('the environment of a state directory', () => {
  let stateDir: string;
  beforeEach(() => (stateDir = mkdtempSync(join(tmpdir(), 'svc-state-'))));
  afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

  const begin = (name: keyof typeof ENVIRONMENTS) => () =>
    refuseOthersState(ENVIRONMENTS[name], stackPaths('/clone', stateDir));
  const holds = (state: object) => writeFileSync(join(stateDir, 'state.json'), JSON.stringify(state));

  it('is open while it is empty, and while setup has made no key', () => {
    expect(begin('production')).not.toThrow();
    holds({ chainId: 31_337 });
    expect(begin('production')).not.toThrow();
    expect(begin('testnet')).not.toThrow();
  });

  it.each([
    ['testnet', 'production', 'svc_test_x'],
    ['production', 'testnet', 'svc_live_x'],
  ] as const)('of %s is not begun as %s', (own, other, apiKey) => {
    holds({ apiKey });
    expect(begin(own)).not.toThrow();
    expect(begin(other)).toThrow(
      `${stateDir} holds a marketplace of the other environment, not of ${other}.`,
    );
  });
});
