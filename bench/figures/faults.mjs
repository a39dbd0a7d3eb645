import { createRequire } from 'node:module';
import { Doorway } from '../doorway.mjs';
import { BROKEN_OFF, LONGEST_MS, REFUSED, WHOLE, isHonest, verdictOn } from '../reply-judge.mjs';
import { PORTKEY, startPortkey } from '../peers/portkey.mjs';
import { table } from '../statistics.mjs';

const { PROVIDER_FAULTS, startFaultyProvider } = createRequire(import.meta.url)('@svc/testing');

const TIMEOUT_MS = 2_000;
const AT_ONCE = 4;
const DIRECTLY = 'directly';
/** The failing offer is the cheapest and new, so that it is usually asked first; now and then another is. */
const MOST_TRIES = 10;
const TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

export const name = 'faults';
export const title = 'What a provider’s faults become';
export const about = `Each fault of [provider-faults.md](provider-faults.md), by a real HTTP server that has it: asked for a stream and for a plain reply, alone and with
another provider that works beside it. The judge is a client that goes by OpenAI’s API reference and believes what it is told
(\`bench/reply-judge.mjs\`). *Whole* is a right reply, with usage. *Told* is the client that has none: *refused* by status, or *broken off* by an
error event or a connection that breaks. *Harm* is the rest: a bad reply that looks like a good one (*passed on*, and what is wrong), or no end
within ${LONGEST_MS / 1_000} s. svc has ${TIMEOUT_MS / 1_000} s for the first token and between chunks; ${PORTKEY} has a \`request_timeout\` of as much, and with another provider its
strategy \`fallback\`. *Directly* is the client with nobody between.`;

export async function run(bench) {
  const market = await bench.market();
  const engine = await bench.engine();
  const portkey = await bench.part('portkey-faults', () => startPortkey(bench.node, engine.url, 1));
  const cases = await Promise.all(PROVIDER_FAULTS.map((fault) => prepare(bench, engine, fault)));
  await bench.offer(
    cases.flatMap(({ offers }) => offers),
    { tools: true },
  );
  for (const { doorway, provider } of cases) doorway.leadTo(provider.url);
  const systems = systemsOf(market.ready, portkey, engine);
  bench.say(`faults, ${cases.length} of them, as stream and plain, alone and with another provider`);
  await soundness(systems);
  const rows = [];
  const waiting = [...cases];
  const one = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      rows.push(await tried(bench, systems, next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  rows.sort((a, b) => PROVIDER_FAULTS.indexOf(a.fault) - PROVIDER_FAULTS.indexOf(b.fault));
  return report(systems, rows);
}

/** A server that has the fault, behind a doorway that leads to the engine until all is certified. */
async function prepare(bench, engine, fault) {
  const { behaviour } = fault;
  const provider = await startFaultyProvider(behaviour);
  const doorway = await bench.part(`doorway-${behaviour}`, () => Doorway.open(engine.url));
  await bench.part(`fault-${behaviour}`, () => Promise.resolve({ stop: () => provider.stop() }));
  const limits = { concurrency: 4, firstTokenTimeoutMs: TIMEOUT_MS, chunkTimeoutMs: TIMEOUT_MS };
  const bad = { provider: 'faulty', url: doorway.url, price: '100', ...limits };
  const models = { alone: `svc/alone-${behaviour}@1`, beside: `svc/beside-${behaviour}@1` };
  const offers = [
    { name: `alone-${behaviour}`, model: models.alone, ...bad },
    { name: `beside-${behaviour}`, model: models.beside, ...bad },
    {
      ...{ name: `good-${behaviour}`, model: models.beside, ...limits },
      ...{ provider: 'good', url: engine.url, price: '110' },
    },
  ];
  return { fault, provider, doorway, models, offers };
}

function systemsOf(ready, portkey, engine) {
  const reach = (url) => ({
    ...{ provider: 'openai', custom_host: url, api_key: 'none', request_timeout: TIMEOUT_MS },
  });
  const config = (of) => ({ 'x-portkey-config': JSON.stringify(of) });
  const portkeyWith = (of) => ({
    target: { url: `${portkey.urls[0]}/v1`, headers: config(of) },
    model: 'bench',
  });
  const gateway = {
    url: `${ready.gateway}/v1`,
    headers: { authorization: `Bearer ${ready.apiKey}` },
  };
  return [
    {
      name: 'svc',
      alone: ({ models }) => ({ target: gateway, model: models.alone }),
      beside: ({ models }) => ({ target: gateway, model: models.beside }),
    },
    {
      name: PORTKEY,
      alone: ({ provider }) => portkeyWith(reach(provider.url)),
      beside: ({ provider }) =>
        portkeyWith({ strategy: { mode: 'fallback' }, targets: [reach(provider.url), reach(engine.url)] }),
    },
    {
      name: DIRECTLY,
      alone: ({ provider }) => ({ target: { url: provider.url, headers: {} }, model: 'bench' }),
    },
  ];
}

const requestOf = ({ behaviour, tools }, model, stream) => ({
  model,
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  max_tokens: behaviour === 'tool-arguments-megabyte' ? 8_192 : 200,
  stream,
  ...(stream && { stream_options: { include_usage: true } }),
  ...(tools && { tools: [TOOL], tool_choice: 'required' }),
});

/** The judge finds nothing wrong with a reply that is right, whoever passes it on. */
async function soundness(systems) {
  const [, portkey, directly] = systems;
  for (const behaviour of ['ok', 'ok-tool-call']) {
    const provider = await startFaultyProvider(behaviour);
    for (const { name: system, alone } of [portkey, directly]) {
      for (const stream of [false, true]) {
        const { target, model } = alone({ provider });
        const fault = { behaviour, tools: behaviour === 'ok-tool-call' };
        const verdict = await verdictOn(target, requestOf(fault, model, stream));
        if (verdict !== WHOLE) throw new Error(`a right reply by way of ${system} is ${verdict}`);
      }
    }
    await provider.stop();
  }
}

async function tried(bench, systems, tested) {
  const { fault, provider } = tested;
  const verdicts = {};
  for (const { name: system, alone, beside } of systems) {
    for (const [company, reached] of Object.entries({ alone, beside })) {
      if (!reached) continue;
      const { target, model } = reached(tested);
      for (const stream of [false, true]) {
        const request = requestOf(fault, model, stream);
        const verdict = await verdictWhenAsked(provider, () => verdictOn(target, request));
        verdicts[`${system} ${company} ${stream ? 'stream' : 'plain'}`] = verdict;
      }
    }
  }
  bench.say(`  ${fault.behaviour}: ${JSON.stringify(verdicts)}`);
  return { fault, verdicts };
}

/** Asks again where somebody else was asked and the fault met nobody. */
async function verdictWhenAsked(provider, ask) {
  for (let attempt = 1; ; attempt++) {
    const before = provider.requests().length;
    const verdict = await ask();
    if (provider.requests().length > before || verdict !== WHOLE || attempt === MOST_TRIES) return verdict;
  }
}

function report(systems, rows) {
  const columns = systems.flatMap(({ name: system, beside }) =>
    (beside ? ['alone', 'beside'] : ['alone']).map((company) => ({ system, company })),
  );
  const between = columns.filter(({ system }) => system !== DIRECTLY);
  const cell = (verdicts, { system, company }) => {
    const [stream, plain] = ['stream', 'plain'].map((form) => verdicts[`${system} ${company} ${form}`]);
    return stream === plain ? stream : `stream: ${stream}; plain: ${plain}`;
  };
  const countsOf = ({ system, company }) => {
    const all = rows.flatMap(({ verdicts }) =>
      ['stream', 'plain'].map((form) => verdicts[`${system} ${company} ${form}`]),
    );
    const count = (is) => all.filter(is).length;
    const told = count((verdict) => verdict === REFUSED || verdict === BROKEN_OFF);
    return [count((verdict) => verdict === WHOLE), told, count((verdict) => !isHonest(verdict))];
  };
  const headOf = ({ system, company }) =>
    system === DIRECTLY ? system : `${system}, ${company === 'alone' ? 'alone' : 'with another'}`;
  const harm = (system, company) => countsOf({ system, company })[2];
  return {
    seconds: `${rows.length} faults, each asked for a stream and a plain reply`,
    text: [
      table(
        ['way', 'whole', 'told', 'harm'],
        columns.map((column) => [headOf(column), ...countsOf(column)]),
      ),
      table(
        ['the provider', ...between.map(headOf)],
        rows.map(({ fault, verdicts }) => [fault.does, ...between.map((column) => cell(verdicts, column))]),
      ),
    ].join('\n\n'),
    summary: [
      [
        `${2 * rows.length} replies of faulty providers: bad ones that reach a client as good, or never end`,
        '0',
        `${harm('svc', 'alone')}, with another provider ${harm('svc', 'beside')} (${PORTKEY}: ${harm(PORTKEY, 'alone')}, ${harm(PORTKEY, 'beside')})`,
      ],
    ],
  };
}
