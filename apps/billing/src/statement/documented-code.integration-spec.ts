import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { workspaceRoot } from '@svc/local-servers';
import { addWallet } from '../ledger/ledger.for-spec';
import { StatementHarness } from './statement.for-spec';

let harness: StatementHarness;
let directory: string;
let args: string[];

beforeAll(async () => {
  harness = await StatementHarness.start();
  directory = mkdtempSync(join(tmpdir(), 'svc-statements-'));
  const { wallet } = await addWallet(harness.books, 50n);
  args = [harness.nats.url, harness.nats.password, wallet, join(directory, 'usage.csv')];
});
afterAll(async () => {
  await harness.stop();
  rmSync(directory, { recursive: true, force: true });
});

const PAGE = readFileSync(join(workspaceRoot, 'docs/statements.md'), 'utf8');

/** Runs the page's piece of code with this in it, as a team would: from the clone, with what was built. */
async function run(part: string) {
  const pieces = [...PAGE.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code ?? '');
  const code = pieces.find((piece) => piece.includes(part));
  const child = spawn(process.execPath, ['--input-type=module', '-', ...args], { cwd: workspaceRoot });
  child.stdin.end(code);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr };
}

describe('the code of docs/statements.md', () => {
  it('calls what the client has', () => {
    const called = [...PAGE.matchAll(/\bbilling\.(\w+)\.(\w+)\(/g)].map(([, group, name]) => [group, name]);
    const client = harness.client as unknown as Record<string, Record<string, unknown>>;
    expect(called).toContainEqual(['credit', 'refund']);
    expect(called.filter(([group = '', name = '']) => typeof client[group]?.[name] !== 'function')).toEqual(
      [],
    );
  });

  it('asks with the client', async () => {
    const { stdout, stderr } = await run('connectBilling(');
    expect(stderr).toBe('');
    expect(stdout).toContain("{ available: '50', held: '0', unsettled: '0' }");
    expect(readFileSync(args[3] as string, 'utf8')).toMatch(/^request_id,[^\n]*\r\n$/);
  });

  it('asks with Nest’s ClientProxy', async () => {
    expect(await run('ClientProxyFactory.create(')).toEqual({ stdout: '50 invalid_request\n', stderr: '' });
  });
});
