import { randomInt, randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { eventually } from '@svc/testing';
import { Client } from 'pg';
import { approve, stranger } from './portal/customer';
import { ExtraService } from './stack/extra-service';
import { HeldProvider } from './stack/held-provider';
import { Marketplace, readReady } from './stack/marketplace';

const PATIENT = { firstTokenTimeoutMs: 30_000, chunkTimeoutMs: 30_000 };
const ROUNDS = Number(process.env.IDEMPOTENCY_ROUNDS ?? 200);
const CONCURRENT = 100;

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** What one reply under a key has in common with every other. */
function sameness({ status, headers, text }: Reply): object {
  const { 'content-type': type, 'x-svc-request-id': id, 'x-svc-hold-usdc': hold } = headers;
  return { status, type, id, hold, text };
}

describe('a request with an Idempotency-Key', () => {
  let market: Marketplace;
  let provider: HeldProvider;
  let model: string;
  let database: Client;
  let secondGateway: ExtraService;
  let secondDispatch: ExtraService;
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });

  beforeAll(async () => {
    market = await Marketplace.connect();
    database = new Client({ connectionString: market.ready.databaseUrl });
    await database.connect();
    provider = await HeldProvider.start();
    [secondGateway, secondDispatch, model] = await Promise.all([
      ExtraService.start(market.ready, 'gateway'),
      ExtraService.start(market.ready, 'dispatch'),
      market.models.offer('idempotent', [provider.url], { ...PATIENT, concurrency: 64 }),
    ]);
    await eventually(
      async () => (await fetch(`${secondGateway.url}/v1/models/${encodeURIComponent(model)}`)).ok,
    );
  });
  afterAll(async () => {
    agent.destroy();
    await Promise.all([secondGateway.stop(), secondDispatch.stop(), provider.close(), database.end()]);
    await market.close();
  });
  beforeEach(() => {
    provider.mode = 'prompt';
  });

  const gateways = () => [market.ready.gateway, secondGateway.url] as const;
  const ask = (fields: object = {}) => ({
    model,
    messages: [{ role: 'user', content: 'Say it once' }],
    max_tokens: 50,
    ...fields,
  });

  function send(
    key: string,
    body: object = ask(),
    options: {
      gateway?: string;
      apiKey?: string;
      onBytes?: (hangUp: () => void) => void;
      signal?: AbortSignal;
    } = {},
  ): Promise<Reply> {
    const { gateway = market.ready.gateway, apiKey = market.ready.apiKey, onBytes, signal } = options;
    const bytes = Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest(
        `${gateway}/v1/chat/completions`,
        {
          agent,
          method: 'POST',
          signal,
          headers: {
            authorization: `Bearer ${apiKey}`,
            'content-type': 'application/json',
            'content-length': bytes.length,
            'idempotency-key': key,
          },
        },
        (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => {
            pieces.push(piece);
            onBytes?.(() => outgoing.destroy());
          });
          response.on('error', reject);
          response.on('end', () => {
            const { statusCode: status = 0, headers } = response;
            resolve({ status, headers, text: Buffer.concat(pieces).toString() });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }

  /** Sends a stream's request, and resolves when its first bytes have come. */
  function begin(key: string, options: { gateway?: string; hangUp?: boolean } = {}) {
    let reply!: Promise<Reply>;
    const begun = new Promise<void>((resolve) => {
      reply = send(key, ask({ stream: true }), {
        gateway: options.gateway,
        onBytes: (hangUp) => {
          resolve();
          if (options.hangUp) hangUp();
        },
      });
    });
    return { reply: reply.catch(() => undefined), begun };
  }

  /** Repeats the request until it is served. */
  const untilServed = (key: string, body: object, timeoutMs = 60_000) =>
    eventually(
      async () => {
        const reply = await send(key, body);
        return reply.status === 200 ? reply : undefined;
      },
      { timeoutMs, intervalMs: 250 },
    );

  /** Whether the ledger waits for what this spec's transaction has locked. Others of billing, as settlement, may as well. */
  async function ledgerWaits(): Promise<boolean> {
    const { rowCount } = await database.query(
      `SELECT FROM pg_stat_activity
       WHERE application_name = 'billing-ledger' AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
    );
    return rowCount !== 0;
  }

  /**
   * Sends a request whose client hangs up while it waits to be admitted.
   * @returns whether it still waited when the gateway knew: the ledger gives up after half a second, and then nothing is admitted
   */
  async function hangUpBeforeAdmission(key: string, body: object): Promise<boolean> {
    const gone = await clientsGone();
    // Whoever has the wallet's row keeps billing from holding anything of it.
    await database.query('BEGIN');
    try {
      await database.query('SELECT FROM billing.wallet WHERE wallet = $1 FOR UPDATE', [market.ready.wallet]);
      const leaving = new AbortController();
      let isAnswered = false;
      const left = send(key, body, { signal: leaving.signal }).then(
        () => (isAnswered = true),
        () => undefined,
      );
      await eventually(async () => isAnswered || (await ledgerWaits()));
      leaving.abort();
      await left;
      if (isAnswered) return false;
      await eventually(async () => (await clientsGone()) > gone || !(await ledgerWaits()));
      return await ledgerWaits();
    } finally {
      await database.query('ROLLBACK');
    }
  }

  /** How many clients the gateway has seen hang up. */
  async function clientsGone(): Promise<number> {
    const text = await (await fetch(`${market.ready.gateway}/metrics`)).text();
    const ended = [...text.matchAll(/^svc_gateway_requests_total\{.*code="client_closed".*\} (\d+)$/gm)];
    return ended
      .filter(([line]) => line.includes('route="chat_completions"'))
      .reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** What the ledger was charged for that model, refunded charges left out. */
  async function chargesOf(ofModel: string): Promise<number> {
    const { rows } = await database.query<{ count: string }>(
      `SELECT count(*) FROM billing.usage_record u WHERE u.model = $1 AND NOT u.late AND NOT EXISTS (
         SELECT FROM billing.credit c WHERE c.wallet = u.wallet AND c.kind = 'refund' AND c.credit_id = u.hold_id)`,
      [ofModel],
    );
    return Number(rows[0]?.count);
  }

  async function chargedDuring(work: () => Promise<unknown>): Promise<number> {
    const before = await chargesOf(model);
    await work();
    await market.idle(60_000);
    return (await chargesOf(model)) - before;
  }

  it.each([false, true])('is replayed byte for byte and charged once (stream: %s)', async (stream) => {
    const key = randomUUID();
    const charged = await chargedDuring(async () => {
      const first = await send(key, ask({ stream }));
      expect(first.status).toBe(200);
      expect(first.headers['x-svc-idempotent-replay']).toBeUndefined();
      for (const gateway of gateways()) {
        // The same in other words.
        const again = await send(key, { stream, x_unknown: 1, ...ask() }, { gateway });
        expect(sameness(again)).toEqual(sameness(first));
        expect(again.headers['x-svc-idempotent-replay']).toBe('true');
      }
      if (stream) expect(first.text.endsWith('data: [DONE]\n\n')).toBe(true);
    });
    expect(charged).toBe(1);
  });

  it('is joined while it runs: from a second connection, and through a second gateway', async () => {
    provider.mode = 'held';
    const charged = await chargedDuring(async () => {
      // Several, so that each of the two dispatch processes has some.
      for (let round = 0; round < 4; round++) {
        const key = randomUUID();
        const first = begin(key);
        await first.begun;
        const others = gateways().map((gateway) => begin(key, { gateway }));
        await Promise.all(others.map(({ begun }) => begun));
        provider.release();
        const replies = await Promise.all([first, ...others].map(({ reply }) => reply));
        const [one, ...rest] = replies.map((reply) => (reply ? sameness(reply) : undefined));
        expect(one).toMatchObject({ status: 200 });
        for (const other of rest) expect(other).toEqual(one);
      }
    });
    expect(charged).toBe(4);
  });

  it('is refused when another request stands under the key', async () => {
    const key = randomUUID();
    await send(key);
    const other = await send(key, ask({ temperature: 0.5 }));
    expect(other.status).toBe(422);
    expect(JSON.parse(other.text)).toMatchObject({
      error: { code: 'invalid_request', param: 'Idempotency-Key' },
    });
  });

  it('is another one under another wallet, and refused without money; the refusal is not kept', async () => {
    const owner = await stranger(market);
    const wallet = owner.address.toLowerCase();
    const { apiKey } = await market.createKey(wallet);
    const key = randomUUID();
    const mine = await send(key);
    const theirs = await send(key, ask(), { apiKey });
    expect(theirs.status).toBe(402);
    // Money comes: on the chain, since what billing has noted of it is read there again and again.
    await approve(market, owner, 1_000_000n, { faucet: 1_000_000n });
    await eventually(async () => (await market.wallet(wallet)).spendable === '1000000');
    const served = await send(key, ask(), { apiKey });
    expect(served.status).toBe(200);
    expect(served.headers['x-svc-request-id']).not.toBe(mine.headers['x-svc-request-id']);
    expect(served.headers['x-svc-idempotent-replay']).toBeUndefined();
    // And goes: what was charged is told again all the same. Not before it was collected, or the wallet could not pay and was stopped.
    await eventually(async () => (await market.wallet(wallet)).unsettled === '0', { timeoutMs: 90_000 });
    await approve(market, owner, 0n);
    await eventually(async () => (await market.wallet(wallet)).limitHead === '0');
    expect(sameness(await send(key, ask(), { apiKey }))).toEqual(sameness(served));
  });

  it('is not kept when no provider served it', async () => {
    const key = randomUUID();
    const charged = await chargedDuring(async () => {
      provider.mode = 'broken';
      expect((await send(key)).status).toBe(503);
      provider.mode = 'prompt';
      const reply = await untilServed(key, ask());
      expect(reply.headers['x-svc-idempotent-replay']).toBeUndefined();
    });
    expect(charged).toBe(1);
  });

  it('goes on when its client hangs up, and waits for it', async () => {
    provider.mode = 'held';
    const key = randomUUID();
    const asked = provider.requests;
    const charged = await chargedDuring(async () => {
      const { begun, reply } = begin(key, { hangUp: true });
      await begun;
      await reply;
      const again = begin(key);
      await again.begun;
      provider.release();
      const joined = await again.reply;
      const later = await send(key, ask({ stream: true }));
      expect(later.text).toContain('in full.');
      expect(joined && sameness(joined)).toEqual(sameness(later));
    });
    expect(charged).toBe(1);
    expect(provider.requests - asked).toBe(1);
  });

  it.each([false, true])(
    'begins without a client that hung up as it was admitted (stream: %s)',
    async (stream) => {
      const key = randomUUID();
      const body = ask({ stream });
      const asked = provider.requests;
      const charged = await chargedDuring(async () => {
        await eventually(() => hangUpBeforeAdmission(key, body));
        await eventually(() => provider.requests > asked);
        const again = await untilServed(key, body);
        expect(again.headers['x-svc-idempotent-replay']).toBe('true');
        expect(again.text).toContain('in full.');
        expect(sameness(await send(key, body))).toEqual(sameness(again));
      });
      expect(charged).toBe(1);
      expect(provider.requests - asked).toBe(1);
    },
  );

  it('leaves nothing readable in the database', async () => {
    const key = randomUUID();
    const reply = await send(key, ask({ stream: true }));
    const id = reply.headers['x-svc-request-id'];
    const { rows } = await database.query<{ bytes: Buffer }>(
      'SELECT bytes FROM billing.stored_response WHERE hold_id = $1',
      [id],
    );
    expect(rows.length).toBe(1);
    for (const { bytes } of rows) {
      for (const word of ['Reply', 'data:', 'chatcmpl']) expect(bytes.includes(word)).toBe(false);
    }
    const { rows: kept } = await database.query<{ row: string }>(
      'SELECT i::text AS row FROM billing.idempotency i WHERE hold_id = $1',
      [id],
    );
    expect(kept[0]?.row).not.toContain(key);
  });

  describe('when a process dies', () => {
    it('gateway: the work goes on, and the retry finds it', async () => {
      provider.mode = 'held';
      const key = randomUUID();
      const victim = await ExtraService.start(market.ready, 'gateway');
      await eventually(async () => (await fetch(`${victim.url}/v1/models/${encodeURIComponent(model)}`)).ok);
      const asked = provider.requests;
      const charged = await chargedDuring(async () => {
        const { begun, reply } = begin(key, { gateway: victim.url });
        await begun;
        await victim.kill();
        await reply;
        const again = begin(key);
        await again.begun;
        provider.release();
        expect((await again.reply)?.text).toContain('in full.');
      });
      expect(charged).toBe(1);
      expect(provider.requests - asked).toBe(1);
    });

    it('dispatch: the retry is served anew, and charged once', async () => {
      provider.mode = 'held';
      const key = randomUUID();
      const body = ask({ stream: true });
      const charged = await chargedDuring(async () => {
        const { begun, reply } = begin(key);
        await begun;
        for (const pid of readReady().processes.dispatch ?? []) process.kill(pid, 'SIGKILL');
        await secondDispatch.kill();
        provider.mode = 'prompt';
        const failed = await reply;
        expect(failed?.text).toContain('"error"');
        const served = await untilServed(key, body);
        expect(sameness(await send(key, body))).toEqual(sameness(served));
      });
      expect(charged).toBe(1);
      secondDispatch = await ExtraService.start(market.ready, 'dispatch');
    });

    it('billing, after the reply was stored and before it was charged', async () => {
      provider.mode = 'held';
      const key = randomUUID();
      const body = ask({ stream: true });
      const charged = await chargedDuring(async () => {
        const { begun, reply } = begin(key);
        await begun;
        const { rows } = await database.query<{ hold_id: string }>(
          'SELECT hold_id FROM billing.open_hold WHERE model = $1 AND idempotency_hash IS NOT NULL',
          [model],
        );
        expect(rows).toHaveLength(1);
        // Whoever has the wallet's row keeps the charge from being made, and not the reply from being stored.
        await database.query('BEGIN');
        await database.query('SELECT FROM billing.wallet WHERE wallet = $1 FOR UPDATE', [
          market.ready.wallet,
        ]);
        provider.release();
        await eventually(async () => {
          const stored = await database.query('SELECT FROM billing.stored_response WHERE hold_id = $1', [
            rows[0]?.hold_id,
          ]);
          return stored.rowCount === 1;
        });
        for (const pid of readReady().processes.billing ?? []) process.kill(pid, 'SIGKILL');
        await database.query('ROLLBACK');
        const first = await reply;
        expect(first?.text).toContain('in full.');
        const again = await untilServed(key, body);
        expect(first && sameness(first)).toEqual(sameness(again));
      });
      expect(charged).toBe(1);
    });
  });

  it(`is charged once whoever sends it how often: ${CONCURRENT} at once, ${ROUNDS} rounds`, async () => {
    const seed = randomInt(1_000_000_000);
    process.stdout.write(`idempotency rounds: seed ${seed}\n`);
    // A purge in the meantime takes what is past its time, and nothing else.
    const old = await send(randomUUID());
    await database.query(`UPDATE billing.idempotency SET expires_at = now() WHERE hold_id = $1`, [
      old.headers['x-svc-request-id'],
    ]);
    const startedMs = performance.now();
    let cost = 0n;
    const before = await market.charged();
    const charged = await chargedDuring(async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const key = `${seed}-${round}`;
        const body = ask({ stream: (seed + round) % 2 === 0 });
        const replies = await Promise.all(
          Array.from({ length: CONCURRENT }, (_, index) =>
            send(key, body, { gateway: gateways()[(index + round) % 2] }),
          ),
        );
        const different = new Set(replies.map((reply) => JSON.stringify(sameness(reply))));
        if (different.size !== 1) throw new Error(`round ${round}: ${[...different].join('\n')}`);
        const usdc = /"cost_usdc":"(\d+)\.(\d{6})"/.exec(replies[0]?.text ?? '');
        cost += BigInt(`${usdc?.[1]}${usdc?.[2]}`);
        if (replies.filter(({ headers }) => !headers['x-svc-idempotent-replay']).length !== 1)
          throw new Error(`round ${round}: not exactly one original`);
      }
    });
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    process.stdout.write(`idempotency rounds: ${ROUNDS * CONCURRENT} requests in ${seconds} s\n`);
    expect(charged).toBe(ROUNDS);
    expect((await market.charged()) - before).toBe(cost);
    const balance = await market.trialBalance();
    expect(balance.debits).toBe(balance.credits);
    await eventually(
      async () => {
        const { rowCount } = await database.query('SELECT FROM billing.idempotency WHERE hold_id = $1', [
          old.headers['x-svc-request-id'],
        ]);
        return rowCount === 0;
      },
      { timeoutMs: 70_000, intervalMs: 500 },
    );
  }, 600_000);
});
