import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '@svc/local-servers';
import type { Ready } from '@svc/local-servers';
import { eventually } from '@svc/testing';
import { launchStack } from './stack/launch';
import type { LaunchedStack } from './stack/launch';
import { Marketplace } from './stack/marketplace';

/** What `npm run conformance -- --json` says. */
interface Report {
  environment: string;
  announced_usdc: string;
  spent_usdc: string;
  results: { section: string; promise: string; outcome: string; reason?: string }[];
}

/** One model that nobody offers, and one for embeddings. */
const DEFINED = ['chat', 'embedding'].map((workload) => ({
  id: `svc/conformance-${workload}@1`,
  ownedBy: 'e2e',
  contextLimit: 8_192,
  capabilities: {
    workload,
    tools: false,
    structuredOutputs: false,
    reasoning: false,
    streaming: workload === 'chat',
    maxOutputTokens: 4_096,
  },
}));

/** Runs one of the project's tools to its end, as a user would. */
function run(tool: string, args: string[], stateDir: string): Promise<{ code: number; output: string }> {
  const options = {
    cwd: workspaceRoot,
    env: { ...process.env, SVC_STATE_DIR: stateDir },
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [join('tools', tool), ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout || stderr });
    });
  });
}

const operate = (args: string[], environment: string, stateDir: string) =>
  run('operator.mjs', [...args, '--environment', environment], stateDir);

/** Defines the models, as an operator would, and waits until they are listed. */
async function define({ gateway, environment }: Ready, stateDir: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
  try {
    const file = join(folder, 'models.json');
    writeFileSync(file, JSON.stringify({ models: DEFINED }));
    const { code, output } = await operate(['define', file], environment, stateDir);
    if (code !== 0) throw new Error(output);
  } finally {
    rmSync(folder, { recursive: true });
  }
  await eventually(async () => (await fetch(`${gateway}/v1/models/svc/conformance-chat@1`)).ok);
}

/** Takes a model's offers off the market, as an operator would, and waits until its card has no price. */
async function withdraw(
  model: string,
  { gateway, apiKey, environment }: Ready,
  stateDir: string,
): Promise<void> {
  const path = `${gateway}/v1/models/${model}`;
  await eventually(
    async () => {
      const response = await fetch(`${gateway}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }),
      });
      const { svc } = (await response.json()) as { svc: { provider: string } };
      if (svc.provider === 'fallback') return true;
      const status = await fetch(`${gateway}/v1/providers/${svc.provider}`);
      const { offers } = (await status.json()) as { offers: { offer_id: string; model: string }[] };
      const own = offers.filter((offer) => offer.model === model);
      for (const { offer_id: id } of own) {
        await operate(['suspend', id, '--reason', 'end-to-end test'], environment, stateDir);
      }
      return false;
    },
    { timeoutMs: 60_000 },
  );
  // Who plans may have heard of it before the gateway has.
  await eventually(async () => {
    const { svc } = (await (await fetch(path)).json()) as { svc: { pricing?: object } };
    return svc.pricing === undefined;
  });
}

async function tryAll({ gateway, apiKey }: Ready, stateDir: string, more: string[] = []): Promise<Report> {
  const args = ['--url', `${gateway}/v1`, '--key', apiKey, '--model', 'svc/demo-small@1', '--at-once', '8'];
  const { output } = await run('conformance.mjs', [...args, '--json', ...more], stateDir);
  if (!output.startsWith('{')) throw new Error(output);
  expect(output).not.toContain(apiKey);
  return JSON.parse(output) as Report;
}

const saying = (report: Report, outcome: string) =>
  report.results
    .filter((each) => each.outcome === outcome)
    .map(({ section, promise, reason }) => `${section} ${promise}: ${reason}`);

describe('the conformance suite', () => {
  it('passes on the test network, with nothing left out that the market could show', async () => {
    const market = await Marketplace.connect();
    try {
      const stateDir = dirname(process.env.SVC_E2E_READY ?? '');
      await define(market.ready, stateDir);
      const wallets = ['01', '02', '03'].map((end) => `0x${'c0'.repeat(19)}${end}`);
      const [poor, suspended, revoked] = await Promise.all(wallets.map((wallet) => market.createKey(wallet)));
      await market.suspend(wallets[1] ?? '');
      await market.revokeKey(wallets[2] ?? '', revoked?.keyId ?? '');
      const report = await tryAll(market.ready, stateDir, [
        ...['--poor-key', poor?.apiKey ?? '', '--suspended-key', suspended?.apiKey ?? ''],
        ...['--revoked-key', revoked?.apiKey ?? ''],
      ]);
      expect(saying(report, 'failed')).toEqual([]);
      expect(report.environment).toBe('testnet');
      expect(Number(report.spent_usdc)).toBeLessThanOrEqual(Number(report.announced_usdc));
      // The demo models are certified for all that there is.
      const skipped = saying(report, 'skipped').filter((each) => !/beyond the tool contract/.test(each));
      expect(skipped.filter((each) => !/--invalid-output-model/.test(each))).toEqual([]);
    } finally {
      await market.close();
    }
  });

  describe('in production', () => {
    const stateDir = '.local/e2e-production';
    let stack: LaunchedStack;

    beforeAll(async () => {
      stack = await launchStack(stateDir, { arguments: ['--environment', 'production'] });
    });
    afterAll(() => stack.stop());

    it('passes', async () => {
      const ready = JSON.parse(readFileSync(stack.readyFile, 'utf8')) as Ready;
      await define(ready, join(workspaceRoot, stateDir));
      // From now on its managed vendor answers.
      await withdraw('svc/demo-large@1', ready, join(workspaceRoot, stateDir));
      const report = await tryAll(ready, join(workspaceRoot, stateDir));
      expect(saying(report, 'failed')).toEqual([]);
      expect(report.environment).toBe('production');
      const skipped = saying(report, 'skipped');
      expect(skipped.filter((each) => !/needs --/.test(each))).toEqual([]);
    });
  });
});
