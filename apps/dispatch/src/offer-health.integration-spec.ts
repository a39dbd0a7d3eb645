import { DISPATCH_SUBJECTS } from '@svc/contracts';
import type { HealthReport, OfferHealthReport } from '@svc/contracts';
import { PrivateNats, eventually } from '@svc/testing';
import { chunk, saying, startProvider, writeEvents, writeJson } from './testing/provider.for-spec';
import type { Answer, TestProvider } from './testing/provider.for-spec';
import { runRequest } from './testing/run-request.for-spec';
import { RunningDispatch } from './testing/running-dispatch.for-spec';
import { TestBilling } from './testing/test-billing.for-spec';
import { TestCatalogue } from './testing/test-catalogue.for-spec';
import { TestGateway } from './testing/test-gateway.for-spec';

const messages = [{ role: 'user', content: 'x' }];
const tools = [{ type: 'function', function: { name: 'time' } }];
const schema = { type: 'object', required: ['nobody', 'can'], additionalProperties: false };
const unsatisfiable = { type: 'json_schema', json_schema: { name: 'x', schema } };

const calling =
  (name: string, args: string): Answer =>
  (_request, response) => {
    const call = { index: 0, id: 'x', type: 'function', function: { name, arguments: args } };
    writeEvents(response, chunk({ tool_calls: [call] }), chunk({}, 'tool_calls'), '[DONE]');
    response.end();
  };
const refusing =
  (status: number): Answer =>
  (_request, response) =>
    writeJson(response, {}, status);

describe('what dispatch tells of offers', () => {
  let nats: PrivateNats;
  let gateway: TestGateway;
  let catalogue: TestCatalogue;
  let dispatch: RunningDispatch;
  const providers: TestProvider[] = [];
  const reports: OfferHealthReport[] = [];

  beforeAll(async () => {
    nats = await PrivateNats.start();
    [, catalogue, gateway] = await Promise.all([
      TestBilling.start(nats),
      TestCatalogue.start(nats),
      TestGateway.start(nats),
    ]);
    const { connection } = await nats.connectAs('cortex');
    connection.subscribe(DISPATCH_SUBJECTS.health, {
      callback: (_error, message) => reports.push(...message.json<HealthReport>().offers),
    });
    await connection.flush();
    dispatch = await RunningDispatch.start(nats);
  });
  afterAll(async () => {
    gateway.stopBeating();
    await dispatch.stop();
    await nats.close();
    await Promise.all(providers.map((provider) => provider.close()));
  });

  async function offerFrom(id: string, answer: Answer, limits?: object): Promise<TestProvider> {
    const provider = await startProvider(answer);
    providers.push(provider);
    await catalogue.offer(id, provider.url, limits);
    await dispatch.awaitOffer(id);
    return provider;
  }

  const told = (id: string, suits: (report: OfferHealthReport) => boolean) =>
    eventually(() => reports.find((report) => report.offerId === id && suits(report)));

  const cases: [string, Answer, object, Partial<OfferHealthReport>][] = [
    [
      'asks for what nobody can write',
      saying('{}'),
      { response_format: unsatisfiable },
      { invalid: 1, blamed: undefined },
    ],
    [
      'has a parser see a call nobody offered',
      calling('launch', '{}'),
      { tools },
      { invalid: 1, blamed: undefined },
    ],
    [
      'has a schema that a server chokes on',
      refusing(500),
      { response_format: unsatisfiable },
      { invalid: 0, blamed: undefined },
    ],
    ['looks like an attack to a firewall', refusing(403), {}, { invalid: 0, blamed: undefined }],
    ['meets a server that fails', refusing(500), {}, { invalid: 0, blamed: 1, blamedInvalid: 0 }],
    [
      'gets arguments that are no JSON',
      calling('time', '{"a'),
      { tools },
      { invalid: 1, blamed: 1, blamedInvalid: 1 },
    ],
  ];
  it.each(cases.map((each, index) => [...each, `offer-${index}`] as const))(
    'a request that %s',
    async (_, answer, body, expected, id) => {
      await offerFrom(id, answer);
      await gateway.run(runRequest([id], { body: { messages, ...body } })).failed();
      const report = await told(id, ({ failed }) => failed === 1);
      expect({ ...report, blamed: report.blamed }).toMatchObject(expected);
    },
  );

  it('a long prompt that takes long, and a short one that takes as long', async () => {
    await offerFrom('slow', () => undefined, { firstTokenTimeoutMs: 100, chunkTimeoutMs: 5_000 });
    await gateway.run(runRequest(['slow'], { inputEstimate: 100_000 })).failed();
    expect((await told('slow', ({ failed }) => failed === 1)).blamed).toBeUndefined();
    await gateway.run(runRequest(['slow'])).failed();
    await told('slow', ({ blamed }) => blamed === 1);
  });

  it('a short question that a model thinks long about without a word', async () => {
    const certified = {
      ...{ certificationId: 'c', structuredOutputs: false, maxOutputTokens: 4_096 },
      reasoning: true,
    };
    await offerFrom('thinks', () => undefined, { certified, firstTokenTimeoutMs: 100 });
    await gateway.run(runRequest(['thinks'])).failed();
    expect((await told('thinks', ({ failed }) => failed === 1)).blamed).toBeUndefined();
  });

  it.each(['reasoning', 'reasoning_content'])(
    'a model that thinks aloud for longer than its first token may take: %s',
    async (field) => {
      const id = `aloud-${field}`;
      await offerFrom(
        id,
        (_request, response) => {
          let thoughts = 0;
          const think = setInterval(() => {
            writeEvents(response, chunk({ content: null, [field]: 'hm' }));
            if (++thoughts < 15) return;
            clearInterval(think);
            writeEvents(response, chunk({ content: 'so' }, 'stop'), '[DONE]');
            response.end();
          }, 100);
        },
        { firstTokenTimeoutMs: 1_000, chunkTimeoutMs: 5_000 },
      );
      expect((await gateway.run(runRequest([id])).ended()).type).toBe('end');
      expect(await told(id, ({ succeeded }) => succeeded === 1)).toMatchObject({ failed: 0 });
    },
  );

  it('those whom a breaker kept away, once another one shows that they would have failed', async () => {
    const { requests } = await offerFrom('broken', refusing(500));
    const ask = () => gateway.run(runRequest(['broken'])).failed();
    for (let time = 0; time < 5; time++) await ask();
    const blamed = () =>
      reports.reduce((sum, report) => sum + (report.offerId === 'broken' ? (report.blamed ?? 0) : 0), 0);
    for (let time = 0; time < 3; time++) await ask();
    await eventually(() => blamed() >= 5);
    // Unless it took as long as the breaker is open, none was let through since; then nobody who was kept away counts.
    expect(requests.length > 5 || blamed() === 5).toBe(true);
    await eventually(async () => {
      await ask();
      return blamed() >= requests.length + 3;
    });
  });

  it('claims, with what was written', async () => {
    await offerFrom(
      'inflates',
      saying('word '.repeat(80), { prompt_tokens: 9, completion_tokens: 416, total_tokens: 425 }),
    );
    const { type } = await gateway.run(runRequest(['inflates'])).ended();
    expect(type).toBe('end');
    const report = await told('inflates', ({ succeeded }) => succeeded === 1);
    expect(report).toMatchObject({
      claims: 1,
      claimedTokens: 400,
      outputBytes: 400,
      inflatedBy: { length: 1 },
    });
  });

  it('claims for what nobody sees: no more of them than is paid for, and none of its bytes', async () => {
    const padded = 'word '.repeat(80) + '\u200b'.repeat(600);
    await offerFrom('pads', saying(padded, { prompt_tokens: 9, completion_tokens: 700, total_tokens: 709 }));
    expect((await gateway.run(runRequest(['pads'])).ended()).type).toBe('end');
    const report = await told('pads', ({ succeeded }) => succeeded === 1);
    const maxTokens = runRequest(['pads']).maxTokens;
    expect(report).toMatchObject({
      claims: 1,
      claimedTokens: Math.min(maxTokens - 16, 400),
      outputBytes: 400,
      inflatedBy: { length: 1 },
    });
  });

  it('claims for nothing at all, also where somebody else is asked instead', async () => {
    await offerFrom('silent', saying('', { prompt_tokens: 9, completion_tokens: 416, total_tokens: 425 }));
    await offerFrom('speaks', saying('word'));
    expect((await gateway.run(runRequest(['silent', 'speaks'])).ended()).type).toBe('end');
    const report = await told('silent', ({ claims = 0 }) => claims > 0);
    expect(report).toMatchObject({
      claims: 1,
      claimedTokens: 400,
      outputBytes: 0,
      inflatedBy: { length: 1 },
    });
  });

  it('a reply that is still being written', async () => {
    const begun: (() => void)[] = [];
    await offerFrom(
      'writes',
      (_request, response) => {
        writeEvents(response, chunk({ reasoning: 'hm' }));
        begun.push(() => writeEvents(response, chunk({ content: 'so' })));
      },
      { chunkTimeoutMs: 60_000 },
    );
    gateway.run(runRequest(['writes']));
    await told('writes', ({ inFlight, progressed }) => inFlight === 1 && progressed === true);
    await told('writes', ({ inFlight, progressed }) => inFlight === 1 && progressed === undefined);
    reports.length = 0;
    begun[0]?.();
    await told('writes', ({ inFlight, progressed }) => inFlight === 1 && progressed === true);
  });
});
