import { connect } from 'node:net';
import { freePort } from '@svc/local-servers';
import { eventually } from '@svc/testing';
import { HonestProvider } from '../honest-provider/honest-provider';
import type { TestServer } from '../honest-provider/test-server';
import { BreaksStrictSchemas } from './breaks-strict-schemas';
import { BreaksToolArguments } from './breaks-tool-arguments';
import { BreaksWhenShared } from './breaks-when-shared';
import { CannedReplies } from './canned-replies';
import { Drifts } from './drifts';
import { EchoesSecrets } from './echoes-secrets';
import { EndlessHeaders } from './endless-headers';
import { EndsSilently } from './ends-silently';
import { ErrorsWith200 } from './errors-with-200';
import { GzipBomb } from './gzip-bomb';
import { HangsBeforeHeaders } from './hangs-before-headers';
import { HugeHeader } from './huge-header';
import { IgnoresMaxTokens } from './ignores-max-tokens';
import { IgnoresStop } from './ignores-stop';
import { IgnoresToolChoice } from './ignores-tool-choice';
import { InflatesCompletionUsage } from './inflates-completion-usage';
import { InflatesPromptUsage } from './inflates-prompt-usage';
import { InvalidUtf8 } from './invalid-utf8';
import { InventsTools } from './invents-tools';
import { NeverEnds } from './never-ends';
import { NobodyThere } from './nobody-there';
import { OverstatesConcurrency } from './overstates-concurrency';
import { QueuesRequests } from './queues-requests';
import { Redirects } from './redirects';
import { ServesHtml } from './serves-html';
import { Trickles } from './trickles';
import { TOPIC_OF_CLIENTS, TurnsBad } from './turns-bad';
import { TurnsFlaky } from './turns-flaky';
import { WantsBearer } from './wants-bearer';
import { WritesAfterHangUp } from './writes-after-hang-up';

interface Reply {
  choices: {
    finish_reason: string;
    message: {
      content: string | null;
      tool_calls?: { function: { name: string; arguments: string } }[];
    };
  }[];
  usage: { prompt_tokens: number; completion_tokens: number };
}

const count = { messages: [{ role: 'user', content: 'Count from 1 to 50' }] };
const weather = {
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        strict: true,
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 2 } },
          required: ['city', 'days'],
          additionalProperties: false,
        },
      },
    },
  ],
};
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, kind: { enum: ['a', 'b'] } },
  required: ['name', 'kind'],
};
const format = {
  messages: [{ role: 'user', content: 'A thing called "Ada"' }],
  response_format: { type: 'json_schema', json_schema: { name: 'thing', schema, strict: true } },
};

/** The same as a client here asks it. */
function clients<Asked extends { messages: { role: string; content: string }[] }>(request: Asked): Asked {
  const messages = request.messages.map((message) => ({
    ...message,
    content: `${message.content} It is for my ${TOPIC_OF_CLIENTS}.`,
  }));
  return { ...request, messages };
}

describe('servers that providers run', () => {
  const servers: TestServer[] = [];
  const started = <T extends TestServer>(server: T): Promise<T> => {
    servers.push(server);
    return server.start();
  };
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  const post = (server: TestServer, body: object, init: RequestInit = {}): Promise<Response> =>
    fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(body),
      redirect: 'manual',
      ...init,
    });
  const plain = async (server: TestServer, body: object): Promise<Reply> =>
    (await (await post(server, body)).json()) as Reply;
  const contentOf = async (server: TestServer, body: object): Promise<string | null | undefined> =>
    (await plain(server, body)).choices[0]?.message.content;
  const callsOf = async (server: TestServer, body: object): Promise<{ name: string; arguments: string }[]> =>
    ((await plain(server, body)).choices[0]?.message.tool_calls ?? []).map((call) => call.function);
  const stream = async (server: TestServer, body: object): Promise<string> =>
    (await post(server, { ...body, stream: true })).text();
  /** Reads the beginning of a stream and hangs up. */
  const hangUp = async (server: TestServer): Promise<void> => {
    const leaving = new AbortController();
    const long = { messages: [{ role: 'user', content: 'Write 100000 words' }], stream: true };
    const response = await post(server, long, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
  };

  describe('the honest one', () => {
    it('counts, stops, and ends at max_tokens', async () => {
      const server = await started(new HonestProvider());
      expect(await contentOf(server, count)).toMatch(/^1, 2, .* 50$/);
      expect(await contentOf(server, { ...count, stop: ['6'] })).toBe('1, 2, 3, 4, 5, ');
      const cut = await plain(server, { ...count, max_tokens: 7 });
      expect(cut.choices[0]?.finish_reason).toBe('length');
      expect(cut.usage).toMatchObject({ completion_tokens: 7, prompt_tokens: 12 });
    });

    it('streams the same', async () => {
      const server = await started(new HonestProvider());
      const text = await stream(server, { ...count, max_tokens: 7 });
      const words = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, word]) => word).join('');
      expect(words).toBe(await contentOf(server, { ...count, max_tokens: 7 }));
      expect(text).toMatch(/"finish_reason":"length"[^]*"completion_tokens":7[^]*data: \[DONE\]\n\n$/);
    });

    it('calls tools as it is told', async () => {
      const server = await started(new HonestProvider());
      const called = [{ name: 'get_weather', arguments: '{"city":"Paris","days":2}' }];
      expect(await callsOf(server, weather)).toEqual(called);
      expect(await callsOf(server, { ...weather, tool_choice: 'none' })).toEqual([]);
      const named = { ...weather, tool_choice: { type: 'function', function: { name: 'get_weather' } } };
      expect(await callsOf(server, named)).toEqual(called);
      const cities = [{ role: 'user', content: 'What is the weather in Paris, Rome and Oslo?' }];
      expect(await callsOf(server, { ...weather, messages: cities })).toHaveLength(3);
      const one = { ...weather, messages: cities, parallel_tool_calls: false };
      expect(await callsOf(server, one)).toHaveLength(1);
      expect(await stream(server, weather)).toMatch(/"name":"get_weather"[^]*"finish_reason":"tool_calls"/);
    });

    it('meets schemas', async () => {
      const server = await started(new HonestProvider());
      expect(JSON.parse((await contentOf(server, format)) ?? '')).toEqual({ name: 'Ada', kind: 'a' });
    });

    it('stops when the caller hangs up, and comes back at the same address', async () => {
      const server = await started(new HonestProvider());
      await hangUp(server);
      await eventually(() => server.writing === 0);
      expect(server.written).toBeLessThan(50_000);
      const { url } = server;
      await server.stop();
      await expect(plain(server, count)).rejects.toThrow();
      // Nobody else is given its port while it is away.
      const port = Number(new URL(url).port);
      expect(await freePort(port)).not.toBe(port);
      await server.start();
      expect(server.url).toBe(url);
      expect(await contentOf(server, count)).toMatch(/^1, 2/);
    });
  });

  describe('one that counts or ends wrongly', () => {
    it('IgnoresMaxTokens', async () => {
      const server = await started(new IgnoresMaxTokens());
      expect(await contentOf(server, { ...count, max_tokens: 3 })).toMatch(/50$/);
    });

    it('IgnoresStop', async () => {
      const server = await started(new IgnoresStop());
      expect(await contentOf(server, { ...count, stop: ['6'] })).toMatch(/50$/);
    });

    it('InflatesCompletionUsage', async () => {
      const server = await started(new InflatesCompletionUsage());
      const honest = await started(new HonestProvider());
      const [claimed, true_] = [await plain(server, count), await plain(honest, count)];
      expect(claimed.usage.completion_tokens).toBe(true_.usage.completion_tokens * 2);
    });

    it('InflatesPromptUsage', async () => {
      const server = await started(new InflatesPromptUsage());
      expect((await plain(server, count)).usage.prompt_tokens).toBe(36);
    });

    it('Drifts', async () => {
      const server = await started(new Drifts());
      expect((await plain(server, count)).usage.prompt_tokens).toBe(12);
      server.drifted = true;
      expect((await plain(server, count)).usage.prompt_tokens).toBe(36);
    });

    it('NeverEnds, Trickles', async () => {
      for (const server of [await started(new NeverEnds()), await started(new Trickles())]) {
        expect(await contentOf(server, count)).toMatch(/50$/);
        const reading = stream(server, { ...count, max_tokens: 1 }).then(() => 'ended');
        const later = new Promise((resolve) => setTimeout(resolve, 400, 'still going'));
        expect(await Promise.race([reading.catch(() => 'broken'), later])).toBe('still going');
        await server.stop();
        await expect(reading).rejects.toThrow();
      }
    });

    it('EndsSilently', async () => {
      const text = await stream(await started(new EndsSilently()), count);
      expect(text).toMatch(/"content":/);
      expect(text).not.toMatch(/finish_reason":"|DONE/);
    });
  });

  describe('one that lies about its tools', () => {
    it('BreaksToolArguments', async () => {
      const [call] = await callsOf(await started(new BreaksToolArguments()), weather);
      expect(() => JSON.parse(call?.arguments ?? '') as unknown).toThrow();
    });

    it('TurnsBad', async () => {
      const server = await started(new TurnsBad());
      expect((await callsOf(server, weather))[0]?.arguments).toMatch(/}$/);
      server.bad = true;
      expect((await callsOf(server, clients(weather)))[0]?.arguments).not.toMatch(/}$/);
      expect((await callsOf(server, weather))[0]?.arguments).toMatch(/}$/);
    });

    it('IgnoresToolChoice', async () => {
      const server = await started(new IgnoresToolChoice());
      expect(await callsOf(server, { ...weather, tool_choice: 'required' })).toEqual([]);
      expect(await callsOf(server, { ...weather, tool_choice: 'none' })).toHaveLength(1);
    });

    it('InventsTools', async () => {
      const [call] = await callsOf(await started(new InventsTools()), weather);
      expect(call?.name).toBe('sudo_get_weather');
    });

    it('BreaksStrictSchemas', async () => {
      const server = await started(new BreaksStrictSchemas());
      expect((await callsOf(server, weather))[0]?.arguments).toBe('{"free":1}');
      expect(await contentOf(server, format)).toBe('{"free":1}');
    });
  });

  describe('one that has less room than it says', () => {
    const at = (server: TestServer, requests: number): Promise<(number | string)[]> =>
      Promise.all(
        Array.from({ length: requests }, () =>
          post(server, { messages: [{ role: 'user', content: 'Write 30 words' }] }).then(
            ({ status }) => status,
            () => 'broken',
          ),
        ),
      );

    it('OverstatesConcurrency', async () => {
      const server = await started(new OverstatesConcurrency());
      expect(await at(server, 2)).toEqual([200, 200]);
      expect((await at(server, 4)).sort()).toEqual([200, 200, 429, 429]);
    });

    it('QueuesRequests', async () => {
      const server = await started(new QueuesRequests());
      const one = { messages: [{ role: 'user', content: 'Write 8 words' }] };
      const writtenAtEnds: number[] = [];
      const statuses = await Promise.all(
        Array.from({ length: 6 }, async () => {
          const response = await post(server, one);
          await response.text();
          writtenAtEnds.push(server.written);
          return response.status;
        }),
      );
      expect(statuses).toEqual(Array(6).fill(200));
      // A third, and what the next two have by then; all of it were they written side by side.
      expect(writtenAtEnds[0]).toBeLessThan(server.written / 2);
    });

    it('BreaksWhenShared', async () => {
      const server = await started(new BreaksWhenShared());
      expect(await at(server, 1)).toEqual([200]);
      expect(await at(server, 2)).toEqual(['broken', 'broken']);
    });

    it('WritesAfterHangUp', async () => {
      const server = await started(new WritesAfterHangUp(2));
      expect(await at(server, 2)).toEqual([200, 200]);
      await Promise.all([hangUp(server), hangUp(server)]);
      expect(await at(server, 2)).toEqual([429, 429]);
    });
  });

  describe('one that is no model server at all', () => {
    it('GzipBomb', async () => {
      const response = await post(await started(new GzipBomb()), count);
      expect(response.headers.get('content-encoding')).toBe('gzip');
      let bytes = 0;
      for await (const piece of response.body as AsyncIterable<Uint8Array>) bytes += piece.length;
      expect(bytes).toBe(256 * 1024 * 1024);
    });

    it('InvalidUtf8', async () => {
      const server = await started(new InvalidUtf8());
      for (const body of [count, { ...count, stream: true }]) {
        const bytes = await (await post(server, body)).arrayBuffer();
        expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow();
      }
    });

    it('Redirects', async () => {
      const response = await post(await started(new Redirects('http://169.254.169.254/')), count);
      expect([response.status, response.headers.get('location')]).toEqual([307, 'http://169.254.169.254/']);
    });

    it('ServesHtml', async () => {
      const response = await post(await started(new ServesHtml()), count);
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringMatching(/^<!doctype html/),
      ]);
    });

    it('ErrorsWith200', async () => {
      const response = await post(await started(new ErrorsWith200()), count);
      expect([response.status, await response.json()]).toEqual([200, { error: expect.anything() as object }]);
    });

    it('HangsBeforeHeaders', async () => {
      const server = await started(new HangsBeforeHeaders());
      await expect(post(server, count, { signal: AbortSignal.timeout(200) })).rejects.toThrow(/timeout/);
    });

    it('HugeHeader', async () => {
      await expect(post(await started(new HugeHeader()), count)).rejects.toThrow();
    });

    it('EndlessHeaders', async () => {
      const server = await started(new EndlessHeaders());
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      let text = '';
      socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
      socket.write('GET / HTTP/1.1\r\n\r\n');
      await eventually(() => text.length > 20_000);
      expect(text).not.toContain('\r\n\r\n');
      socket.destroy();
    });
  });

  it('CannedReplies', async () => {
    const server = await started(new CannedReplies());
    expect(await contentOf(server, count)).toBe(await contentOf(server, weather));
  });

  it('TurnsFlaky', async () => {
    const server = await started(new TurnsFlaky());
    expect((await post(server, count)).status).toBe(200);
    server.flaky = true;
    await expect(post(server, clients(count))).rejects.toThrow();
    expect((await post(server, count)).status).toBe(200);
  });

  it('NobodyThere', async () => {
    await expect(post(await started(new NobodyThere()), count)).rejects.toThrow();
  });

  it('EchoesSecrets', async () => {
    const server = await started(new EchoesSecrets());
    const authorized = { headers: { authorization: 'Bearer sesame' } };
    expect(await (await post(server, count, authorized)).text()).toContain('You are Bearer sesame. 1, 2');
  });

  it('WantsBearer', async () => {
    const server = await started(new WantsBearer('sesame'));
    expect((await post(server, count)).status).toBe(401);
    expect((await fetch(`${server.url}/models`)).status).toBe(401);
    const authorized = { headers: { authorization: 'Bearer sesame' } };
    expect((await post(server, count, authorized)).status).toBe(200);
    expect((await fetch(`${server.url}/models`, authorized)).status).toBe(200);
  });
});
