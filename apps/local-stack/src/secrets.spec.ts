import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSecrets } from './secrets';

describe('ensureSecrets', () => {
  let directory: string;
  let file: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'svc-secrets-'));
    file = join(directory, 'state', 'secrets.json');
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  it('makes them once, for the owner only, and keeps them', () => {
    const secrets = ensureSecrets(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(ensureSecrets(file)).toEqual(secrets);
    const values = [secrets.keyPepper, secrets.databaseSuperuser, ...Object.values(secrets.nats)];
    expect(new Set(values).size).toBe(values.length);
    // What nats.conf can take as a variable's value.
    for (const value of values) expect(value).toMatch(/^[a-z][0-9a-z]{40,}$/);
  });

  it('adds what a newer version needs without changing the rest', () => {
    const { keyPepper, ...older } = ensureSecrets(file);
    writeFileSync(file, JSON.stringify(older));
    const newer = ensureSecrets(file);
    expect(newer).toMatchObject(older);
    expect(newer.keyPepper).not.toBe(keyPepper);
  });

  it('does not overwrite a file it cannot read', () => {
    ensureSecrets(file);
    writeFileSync(file, 'torn');
    expect(() => ensureSecrets(file)).toThrow('"npm run reset" starts afresh');
    expect(readFileSync(file, 'utf8')).toBe('torn');
  });
});
