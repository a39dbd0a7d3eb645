import { eventually } from '@svc/testing';
import { BreaksStrictSchemas } from './bad-providers/breaks-strict-schemas';
import { BreaksToolArguments } from './bad-providers/breaks-tool-arguments';
import { BreaksWhenShared } from './bad-providers/breaks-when-shared';
import { CannedReplies } from './bad-providers/canned-replies';
import { Drifts } from './bad-providers/drifts';
import { EndlessHeaders } from './bad-providers/endless-headers';
import { EndsSilently } from './bad-providers/ends-silently';
import { ErrorsWith200 } from './bad-providers/errors-with-200';
import { GzipBomb } from './bad-providers/gzip-bomb';
import { HangsBeforeHeaders } from './bad-providers/hangs-before-headers';
import { HugeHeader } from './bad-providers/huge-header';
import { IgnoresMaxTokens } from './bad-providers/ignores-max-tokens';
import { IgnoresStop } from './bad-providers/ignores-stop';
import { IgnoresToolChoice } from './bad-providers/ignores-tool-choice';
import { InflatesCompletionUsage } from './bad-providers/inflates-completion-usage';
import { InflatesPromptUsage } from './bad-providers/inflates-prompt-usage';
import { InvalidUtf8 } from './bad-providers/invalid-utf8';
import { InventsTools } from './bad-providers/invents-tools';
import { NeverEnds } from './bad-providers/never-ends';
import { NobodyThere } from './bad-providers/nobody-there';
import { OverstatesConcurrency } from './bad-providers/overstates-concurrency';
import { QueuesRequests } from './bad-providers/queues-requests';
import { Redirects } from './bad-providers/redirects';
import { ServesHtml } from './bad-providers/serves-html';
import { Trickles } from './bad-providers/trickles';
import { TOPIC_OF_CLIENTS, TurnsBad } from './bad-providers/turns-bad';
import { TurnsFlaky } from './bad-providers/turns-flaky';
import { WantsBearer } from './bad-providers/wants-bearer';
import { WantsItsThoughts } from './bad-providers/wants-its-thoughts';
import { WritesAfterHangUp } from './bad-providers/writes-after-hang-up';
import { HonestProvider } from './honest-provider/honest-provider';
import type { TestServer } from './honest-provider/test-server';
import type { OfferReply, ReportReply, Supplier } from './stack/supplier';
import { SupplyMarket } from './stack/supply-market';

const TOKEN = 'sesame-open-the-model';
/** What watching finds, at its latest: a canary waits for its turn among all others. */
const NOTICED_WITHIN_MS = 100_000;

interface Case {
  server: TestServer;
  concurrency?: number;
  credential?: string;
  /** Sells another case's model. */
  model?: string;
  price?: string;
}

/** Refused at certification: by which probe, and what its provider reads. */
const REFUSED: Record<string, Case & { probe: string; says: RegExp }> = {
  'ignores-max-tokens': { server: new IgnoresMaxTokens(), probe: 'max_tokens', says: /max_tokens/ },
  'ignores-stop': { server: new IgnoresStop(), probe: 'stop', says: /stop/ },
  'inflates-completion': {
    server: new InflatesCompletionUsage(),
    probe: 'usage_honesty',
    says: /completion_tokens|completion tokens/,
  },
  'inflates-prompt': {
    server: new InflatesPromptUsage(),
    probe: 'usage_honesty',
    says: /prompt_tokens|prompt tokens/,
  },
  'writes-after-hang-up': {
    server: new WritesAfterHangUp(4),
    probe: 'disconnect',
    says: /hang|hung|disconnect/,
  },
  'canned-replies': { server: new CannedReplies(), probe: 'max_tokens', says: /instead of "length"/ },
  'never-ends': { server: new NeverEnds(), probe: 'stream_text', says: /too large/ },
  trickles: { server: new Trickles(), probe: 'stream_text', says: /not come to an end/ },
  'ends-silently': { server: new EndsSilently(), probe: 'stream_text', says: /finish_reason/ },
  'nobody-there': { server: new NobodyThere(), probe: 'plain_text', says: /no connection/ },
  'gzip-bomb': { server: new GzipBomb(), probe: 'plain_text', says: /compressed/ },
  'invalid-utf8': { server: new InvalidUtf8(), probe: 'plain_text', says: /UTF-8/ },
  'redirects-to-metadata': {
    server: new Redirects('http://169.254.169.254/latest/meta-data/'),
    probe: 'plain_text',
    says: /redirect/,
  },
  'redirects-to-loopback': {
    server: new Redirects('http://127.0.0.1:8080/v1/models', 302),
    probe: 'plain_text',
    says: /redirect/,
  },
  'serves-html': { server: new ServesHtml(), probe: 'plain_text', says: /application\/json/ },
  'errors-with-200': { server: new ErrorsWith200(), probe: 'plain_text', says: /error|shape/ },
  'hangs-before-headers': {
    server: new HangsBeforeHeaders(),
    probe: 'plain_text',
    says: /no token came within/,
  },
  'endless-headers': { server: new EndlessHeaders(), probe: 'plain_text', says: /too large/ },
  'huge-header': { server: new HugeHeader(), probe: 'plain_text', says: /too large/ },
  'wants-bearer-without': { server: new WantsBearer(TOKEN), probe: 'plain_text', says: /status 401/ },
  'wants-bearer-wrong': {
    server: new WantsBearer(TOKEN),
    credential: 'another-token',
    probe: 'plain_text',
    says: /status 401/,
  },
};

/** Certified, for what they can do. */
const CERTIFIED = {
  honest: { server: new HonestProvider(8), concurrency: 8 },
  overstates: { server: new OverstatesConcurrency(), concurrency: 32 },
  'queues-requests': { server: new QueuesRequests(), concurrency: 32 },
  'breaks-when-shared': { server: new BreaksWhenShared(), concurrency: 8 },
  'breaks-tools': { server: new BreaksToolArguments() },
  // So dear that for what both can do the draw never falls on it.
  'good-tools': { server: new HonestProvider(4), model: 'breaks-tools', price: '100000000' },
  'ignores-tool-choice': { server: new IgnoresToolChoice() },
  'invents-tools': { server: new InventsTools() },
  'breaks-schemas': { server: new BreaksStrictSchemas() },
  'wants-bearer': { server: new WantsBearer(TOKEN), credential: TOKEN },
  thinks: { server: new WantsItsThoughts('reasoning_content') },
  'thinks-newly': { server: new WantsItsThoughts('reasoning') },
  'thinks-sealed': { server: new WantsItsThoughts('extra_content') },
  'turns-bad': { server: new TurnsBad() },
  'turns-flaky': { server: new TurnsFlaky() },
  drifts: { server: new Drifts() },
  dies: { server: new HonestProvider(4) },
} satisfies Record<string, Case>;

/** Their models are defined so. */
const THINKING = ['thinks', 'thinks-newly', 'thinks-sealed'] as const;

const CASES: Record<string, Case> = { ...REFUSED, ...CERTIFIED };

const tool = (name: string) => ({
  type: 'function',
  function: {
    name,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
});
const weather = {
  messages: [{ role: 'user', content: `What is the weather in Paris, for my ${TOPIC_OF_CLIENTS}?` }],
  tools: [tool('get_weather')],
};
const greeting = { messages: [{ role: 'user', content: `Say "hello" to my ${TOPIC_OF_CLIENTS}.` }] };

describe('providers that cheat', () => {
  let market: SupplyMarket;
  const suppliers = new Map<string, Supplier>();
  const servers = Object.values(CASES).map(({ server }) => server);

  beforeAll(async () => {
    [market] = await Promise.all([
      SupplyMarket.launch('.local/e2e-bad-providers', {
        // Many are certified at once, but not so many that an honest one is late on a busy machine, and nobody waits long. Watching
        // looks often; but not so often that it keeps both cores busy.
        CERTIFICATION_CONCURRENCY: '24',
        // So long takes the one that never comes to an end; honest ones are in time also where others keep the machine busy.
        CERTIFICATION_CALL_TIMEOUT_MS: '40000',
        CERTIFICATION_MAX_ARGUMENT_BYTES: '4096',
        PROVIDER_ALLOWED_NETWORKS: '127.0.0.1/32',
        HEARTBEAT_MS: '500',
        CANARY_MS: '5000',
        SUPPLY_WRITES_PER_MINUTE: '1000',
        SUPPLY_READS_PER_MINUTE: '10000',
      }),
      ...servers.map((server) => server.start()),
    ]);
    const models = Object.keys(CASES).filter((name) => CASES[name]?.model === undefined);
    await market.defineModels(models, THINKING);
    await Promise.all(Object.keys(CASES).map(join));
  });

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await market?.stop();
  });

  /** As a provider does: registers, and offers what it has. */
  async function join(name: string): Promise<void> {
    const { server, concurrency = 4, credential, model = name, price = '100000' } = CASES[name] as Case;
    const supplier = market.supplier();
    suppliers.set(name, supplier);
    expect((await supplier.register({ name })).status).toBe(200);
    const prices = { inputPricePerMtok: price, outputPricePerMtok: price };
    const offer = supplier.offerOf(model, server.url, { concurrency, ...prices });
    const { status, body } = await supplier.offer(offer, { credential });
    expect([status, body.error]).toEqual([202, undefined]);
  }

  const supplierOf = (name: string): Supplier => {
    const supplier = suppliers.get(name);
    if (!supplier) throw new Error(`${name} did not join`);
    return supplier;
  };

  const judged = (name: string): Promise<OfferReply> => supplierOf(name).judged();

  const untilState = (name: string, state: string): Promise<OfferReply> =>
    eventually(
      async () => {
        const offer = await supplierOf(name).status();
        if (offer.state !== state)
          throw new Error(`${name} is ${offer.state}: ${JSON.stringify(offer.reason)}`);
        return offer;
      },
      { timeoutMs: NOTICED_WITHIN_MS, intervalMs: 100 },
    );

  const failedIn = ({ probes }: ReportReply): string[] =>
    probes.filter(({ status }) => status === 'failed').map(({ name }) => name);

  it('does not keep an honest one out: it is certified for all there is', async () => {
    expect(await judged('honest')).toMatchObject({ state: 'live', live_version: 1 });
    const report = await supplierOf('honest').report();
    expect(report.probes.map(({ name, status, message }) => [name, status, message])).toEqual(
      report.probes.map(({ name, message }) => [name, 'passed', message]),
    );
    expect(report.result).toMatchObject({
      capabilities: { tools: true, structuredOutputs: true, streaming: true },
      tool_contract: {
        tool_choice: ['auto', 'none', 'required', 'function'],
        parallel_tool_calls: true,
        strict_schemas: true,
        max_argument_bytes: 4_096,
        certified_concurrency: 8,
        agentic_certified: true,
      },
      concurrency: 8,
    });
    await market.untilServed('honest', true);
    expect((await market.ask('honest', weather)).status).toBe(200);
  });

  it.each(THINKING)('%s: gets what it thought back, where it wrote that', async (name) => {
    expect(await judged(name)).toMatchObject({ state: 'live' });
    expect((await supplierOf(name).report()).result?.tool_contract).toMatchObject({
      agentic_certified: true,
    });
    await market.untilServed(name, true);
    const first = await market.ask(name, weather);
    const message = first.body.choices?.[0]?.message;
    expect(message).toMatchObject(
      name === 'thinks-sealed'
        ? { tool_calls: [{ extra_content: { google: { thought_signature: 'c2VhbGVk' } } }] }
        : { reasoning_content: 'Only the tool can tell.', tool_calls: [{}] },
    );
    const results = (message?.tool_calls ?? []).map(({ id }) => ({
      ...{ role: 'tool', tool_call_id: id, content: 'Sunny.' },
    }));
    const messages = [...weather.messages, message, ...results];
    const second = await market.ask(name, { ...weather, messages });
    expect([second.status, second.body.choices?.[0]?.message.content]).toEqual([
      200,
      'The tool says: Sunny.',
    ]);
    // Who leaves the thoughts out is refused as at the server itself, and pays nothing.
    const calls = message?.tool_calls?.map((call) => ({ ...call, extra_content: undefined }));
    const forgetful = { ...message, reasoning_content: undefined, tool_calls: calls };
    const third = await market.ask(name, {
      ...weather,
      messages: [...weather.messages, forgetful, ...results],
    });
    expect([third.status, third.body.error?.code]).toEqual([400, 'invalid_request']);
  });

  it.each(Object.entries(REFUSED))('refuses what %s', async (name, { probe, says }) => {
    const offer = await judged(name);
    const report = await supplierOf(name).report();
    expect({ offer, report: failedIn(report) }).toMatchObject({
      offer: {
        state: 'refused',
        live_version: null,
        reason: { code: probe, message: expect.stringMatching(says) as string },
      },
    });
    expect(report).toMatchObject({ status: 'refused', refusal: { probe, message: offer.reason?.message } });
    // With the evidence: what was asked, and what came.
    const evidence = report.probes.find((each) => each.name === probe);
    expect(evidence).toMatchObject({ status: 'failed', required: true });
    expect(evidence?.exchanges[0]?.request).toContain('"messages"');
    expect((await market.model(name)).svc.pricing).toBeUndefined();
  });

  describe('does not even ask what lives where nobody may look', () => {
    // The operator of this market allows 127.0.0.1 and nothing else that is not public.
    it.each([
      'http://127.0.0.2/v1',
      'http://127.2/v1',
      'http://0x7f.2/v1',
      'http://0x7f000002/v1',
      'http://0177.0.0.2/v1',
      'http://2130706434/v1',
      'http://[::1]/v1',
      'http://[::ffff:127.0.0.2]/v1',
      'http://[::ffff:7f00:2]/v1',
      'http://[0:0:0:0:0:ffff:7f00:0002]/v1',
      'http://0/v1',
      'http://0.0.0.0:8080/v1',
      'http://[::]/v1',
      'http://10.0.0.1/v1',
      'http://012.0.0.1/v1',
      'http://167772161/v1',
      'http://[::ffff:10.0.0.1]/v1',
      'http://[64:ff9b::10.0.0.1]/v1',
      'http://[2002:a00:1::]/v1',
      'http://192.168.1.1/v1',
      'http://100.64.0.1/v1',
      'http://169.254.169.254/latest/meta-data',
      'http://0xa9fea9fe/v1',
      'http://2852039166/v1',
      'http://[::ffff:a9fe:a9fe]/v1',
      'http://[fd00::1]/v1',
      'http://[fd00:ec2::254]/v1',
      'http://[fe80::1]/v1',
      'http://１６９.254.169.254/v1',
      'http://ⓛocalhost.localdomain/v1',
      'http://127.0.0.1.nowhere.invalid/v1',
      'http://user:password@127.0.0.1/v1',
    ])('%s', async (endpoint) => {
      const supplier = supplierOf('honest');
      const { status, body } = await supplier.offer(supplier.offerOf('overstates', endpoint));
      expect([status, body.error]).toMatchObject([
        400,
        {
          code: 'invalid_request',
          param: 'endpoint',
          message: expect.stringMatching(/not public|no address|name or a password/) as string,
        },
      ]);
      // Nothing is left of it.
      await expect(supplier.status('overstates')).rejects.toThrow(/no such offer/);
    });
  });

  describe('certifies what can do less for just that', () => {
    /** What the report says, and the model's card when nobody else sells it. */
    const certified = async (name: string): Promise<ReportReply> => {
      const { state, reason } = await judged(name);
      expect([state, reason]).toEqual(['live', undefined]);
      return supplierOf(name).report();
    };

    it('overstates: says 32 at once and holds two', async () => {
      const report = await certified('overstates');
      expect(report.result).toMatchObject({ concurrency: 2, tool_contract: { certified_concurrency: 2 } });
      expect(messageOf(report, 'concurrency')).toMatch(/status 429.*2 of 32 at once held/);
      await market.untilServed('overstates', true);
      expect((await market.model('overstates')).svc.tool_contract?.certified_concurrency).toBe(2);
    });

    it('queues-requests: takes 32 at once and lets all but two wait', async () => {
      const report = await certified('queues-requests');
      expect(report.result).toMatchObject({ concurrency: 2, tool_contract: { certified_concurrency: 2 } });
      expect(messageOf(report, 'concurrency')).toMatch(/wait.*2 of 32 at once held/);
    });

    it('breaks-when-shared: one at a time', async () => {
      expect((await certified('breaks-when-shared')).result).toMatchObject({ concurrency: 1 });
    });

    it('breaks-tools: no tools, and no request with tools ever gets there', async () => {
      const report = await certified('breaks-tools');
      expect(report.result).toMatchObject({ capabilities: { tools: false }, tool_contract: null });
      expect(failedIn(report)).toEqual(expect.arrayContaining(['tool_required', 'tool_function']));
      expect(messageOf(report, 'tool_required')).toMatch(/tool call|arguments/);
      await certified('good-tools');
      await eventually(async () => (await market.model('breaks-tools')).svc.capabilities.tools);
      const { requests } = CERTIFIED['breaks-tools'].server;
      const before = requests.length;
      for (let count = 0; count < 5; count++) {
        const { status, body } = await market.ask('breaks-tools', weather);
        expect([status, body.svc?.provider]).toEqual([200, supplierOf('good-tools').address]);
        expect(body.choices?.[0]?.message.tool_calls).toHaveLength(1);
      }
      // The cheaper, for what it can do.
      const text = await market.ask('breaks-tools', greeting);
      expect([text.status, text.body.svc?.provider]).toEqual([200, supplierOf('breaks-tools').address]);
      // Canaries may have asked it too; clients' tools are nothing that they know.
      const asked = requests
        .slice(before)
        .flatMap(({ tools = [] }) => tools.map((each) => each.function.name));
      expect(asked).not.toContain('get_weather');
    });

    it('invents-tools: no tools, and a client who wants some hears so', async () => {
      const report = await certified('invents-tools');
      expect(report.result).toMatchObject({ capabilities: { tools: false }, tool_contract: null });
      expect(messageOf(report, 'tool_required')).toMatch(/unknown name|not offered/);
      await market.untilServed('invents-tools', true);
      const { status, body } = await market.ask('invents-tools', weather);
      expect([status, body.error]).toMatchObject([400, { code: 'feature_not_supported', param: 'tools' }]);
    });

    it('ignores-tool-choice: no choice that it ignores', async () => {
      const report = await certified('ignores-tool-choice');
      expect(failedIn(report)).toEqual(
        expect.arrayContaining(['tool_none', 'tool_required', 'tool_function']),
      );
      expect(messageOf(report, 'tool_required')).toMatch(/no tool call/);
      const choices = (report.result?.tool_contract?.tool_choice ?? []) as string[];
      expect(choices).not.toEqual(expect.arrayContaining(['required']));
      expect(choices).not.toContain('function');
      expect(choices).not.toContain('none');
      await market.untilServed('ignores-tool-choice', true);
      const { status, body } = await market.ask('ignores-tool-choice', {
        ...weather,
        tool_choice: 'required',
      });
      expect([status, body.error?.code]).toEqual([400, 'feature_not_supported']);
    });

    it('breaks-schemas: tools, but nothing strict and no structured output', async () => {
      const report = await certified('breaks-schemas');
      expect(report.result).toMatchObject({
        capabilities: { tools: true, structuredOutputs: false },
        tool_contract: { strict_schemas: false },
      });
      expect(failedIn(report)).toEqual(expect.arrayContaining(['strict_schemas', 'response_format']));
    });

    it('wants-bearer: everything, with the token', async () => {
      await certified('wants-bearer');
      await market.untilServed('wants-bearer', true);
      expect((await market.ask('wants-bearer', greeting)).status).toBe(200);
    });
  });

  describe('takes off the market what changes', () => {
    const { server: turnsBad } = CERTIFIED['turns-bad'];
    const { server: turnsFlaky } = CERTIFIED['turns-flaky'];
    const { server: drifts } = CERTIFIED.drifts;
    const { server: dies } = CERTIFIED.dies;
    // Each is away from when it was taken off until it is let back: probes would find nothing wrong with two of them, and a canary
    // puts them back a minute later, however long the others take.

    it('turns-bad: invalid_output, by what clients get', async () => {
      await judged('turns-bad');
      await market.untilServed('turns-bad', true);
      expect((await market.ask('turns-bad', weather)).status).toBe(200);
      turnsBad.bad = true;
      const offer = await eventually(
        async () => {
          // All from one wallet, and canaries find nothing: it takes some fifty to be believed.
          for (const { status } of await Promise.all(
            [1, 2, 3, 4].map(() => market.ask('turns-bad', weather)),
          )) {
            expect(status).not.toBe(200);
          }
          const now = await supplierOf('turns-bad').status();
          return now.state === 'suspended' && now;
        },
        { timeoutMs: NOTICED_WITHIN_MS },
      );
      expect(offer.reason).toMatchObject({
        code: 'invalid_output',
        message: expect.stringMatching(/must not be delivered/) as string,
      });
      await market.untilServed('turns-bad', false);
      expect((await market.ask('turns-bad', weather)).body.error?.code).toBe('no_capacity');
      await turnsBad.stop();
    });

    it('turns-flaky: failing, by what clients get', async () => {
      await judged('turns-flaky');
      await market.untilServed('turns-flaky', true);
      turnsFlaky.flaky = true;
      const offer = await eventually(
        async () => {
          await Promise.all([1, 2, 3, 4].map(() => market.ask('turns-flaky', greeting)));
          const now = await supplierOf('turns-flaky').status();
          return now.state === 'suspended' && now;
        },
        { timeoutMs: NOTICED_WITHIN_MS, intervalMs: 100 },
      );
      expect(offer.reason).toMatchObject({
        code: 'failing',
        message: expect.stringMatching(/failed/) as string,
      });
      await turnsFlaky.stop();
    });

    it('drifts: drift, by a canary', async () => {
      await judged('drifts');
      drifts.drifted = true;
      const offer = await untilState('drifts', 'suspended');
      expect(offer.reason).toMatchObject({
        code: 'drift',
        message: expect.stringMatching(/usage_honesty[^]*prompt/) as string,
      });
      await market.untilServed('drifts', false);
      await drifts.stop();
    });

    it('dies: no_heartbeat', async () => {
      await judged('dies');
      await dies.stop();
      const offer = await untilState('dies', 'suspended');
      expect(offer.reason).toMatchObject({
        code: 'no_heartbeat',
        message: expect.stringMatching(/3 heartbeats/) as string,
      });
      await market.untilServed('dies', false);
    });

    it('lets each back when it is what it was', async () => {
      turnsBad.bad = false;
      turnsFlaky.flaky = false;
      drifts.drifted = false;
      const names = ['dies', 'turns-bad', 'turns-flaky', 'drifts'];
      const ids = names.map((name) => supplierOf(name).offerId(name));
      await market.untilMissed(ids);
      // Whoever mends a server starts it again; watching sees that, and looks at once.
      await Promise.all([dies, turnsBad, turnsFlaky, drifts].map((server) => server.start()));
      for (const name of names) {
        expect((await untilState(name, 'live')).reason).toBeUndefined();
        await market.untilServed(name, true);
        const code = {
          dies: 'no_heartbeat',
          'turns-bad': 'invalid_output',
          'turns-flaky': 'failing',
          drifts: 'drift',
        }[name];
        const trail = await market.trail(supplierOf(name).offerId(name));
        expect(trail).toEqual([
          expect.stringMatching(/^offer.submit/),
          expect.stringMatching(/^offer.live/),
          expect.stringMatching(new RegExp(`^offer.suspended: ${code}`)),
          expect.stringMatching(/^offer.reinstated/),
        ]);
      }
      expect((await market.ask('turns-bad', weather)).status).toBe(200);
    });
  });

  it('a version that is refused does not take away the one before', async () => {
    const supplier = supplierOf('honest');
    const { server } = CASES['errors-with-200'] as Case;
    expect((await supplier.offer(supplier.offerOf('honest', server.url))).status).toBe(202);
    const offer = await eventually(
      async () => {
        const now = await supplier.status('honest');
        return now.certification?.status === 'refused' && now;
      },
      { timeoutMs: NOTICED_WITHIN_MS, intervalMs: 100 },
    );
    expect(offer).toMatchObject({ state: 'live', version: 2, live_version: 1 });
    expect(offer.certification?.refusal).toMatchObject({ probe: 'plain_text' });
    expect((await market.ask('honest', greeting)).body.svc?.provider).toBe(supplier.address);
  });
});

const messageOf = ({ probes }: ReportReply, name: string): string | undefined =>
  probes.find((probe) => probe.name === name)?.message;
