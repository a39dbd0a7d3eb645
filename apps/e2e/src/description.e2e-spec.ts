import { randomUUID } from 'node:crypto';
import { DescribedApi } from './description/described-api';
import type { Operation, Reply } from './description/described-api';
import { nearValid } from './description/near-valid';
import { signedIn } from './description/visitor';
import { customer } from './portal/customer';
import { developmentWallet } from './portal/sign-in';
import { Marketplace } from './stack/marketplace';

const MODEL = 'svc/demo-small@1';
const AT_ONCE = 8;
/** What changes the whole marketplace, or ends the session, is asked without credentials only. */
const NOT_DONE = /^(POST .*\/settlement\/(pause|resume)|DELETE .*\/sessions?)$/;
const ODD_QUERIES = ['', 'x', '0', '-1', '1.5', '101', '😀', '\0', '%', 'x'.repeat(3_000), '2026-01-01'];
const ODD_PATHS = [
  'x',
  '%00',
  '%2F',
  '%',
  '%ff',
  '%F0%9F%98%80',
  'x'.repeat(300),
  'x'.repeat(9_000),
  'constructor',
];
/** Well-formed, and nobody’s. */
const UNKNOWN_WALLET = `0x${'9'.repeat(40)}`;
const UNKNOWN: Record<string, string> = {
  providers: UNKNOWN_WALLET,
  wallets: UNKNOWN_WALLET,
  offers: `ofr_${'0'.repeat(32)}`,
};
/** What is said of a signature that does not fit; whether the body does is looked at before. */
const SIGNED = /^POST (.*\/session|\/v1\/.*(providers|offers|withdraw))$/;
/** Of an assistant, whose message may have every field but a tool’s. */
const CHAT = {
  model: MODEL,
  messages: [
    {
      role: 'assistant',
      content: 'Hello',
      name: 'n',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: {} },
      ],
    },
  ],
  stream: true,
  stream_options: { include_usage: true },
  response_format: { type: 'json_object' },
  metadata: { a: 'b' },
  max_tokens: 4,
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
};

const api = new DescribedApi();
const operations = api
  .operations()
  .map((operation): [string, Operation] => [`${operation.method} ${operation.path}`, operation]);
let market: Marketplace;
let credentials: Record<string, Record<string, string>>;
/** What stands for a path's parameters. */
let ids: Record<string, string>;

interface Asked {
  path?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

beforeAll(async () => {
  market = await Marketplace.connect();
  const { gateway } = market.ready;
  const { signer, apiKey } = await customer(market, { requests: 1 });
  const session = await signedIn(gateway, signer);
  credentials = {
    bearer: { authorization: `Bearer ${apiKey}` },
    session,
    operator: await signedIn(gateway, await developmentWallet('operator')),
  };
  const listed = await fetch(`${gateway}/portal/api/market/offers?model=${MODEL}`);
  const { data } = (await listed.json()) as { data: Record<string, string>[] };
  const usage = await fetch(`${gateway}/portal/api/usage`, { headers: session });
  const { data: lines } = (await usage.json()) as { data: { request_id: string }[] };
  const request = lines[0]?.request_id ?? '';
  const made = await fetch(`${gateway}/portal/api/keys`, {
    method: 'POST',
    headers: { ...session, 'content-type': 'application/json' },
    body: JSON.stringify({ request_token: randomUUID(), name: 'To be changed' }),
  });
  const { id: keyId } = (await made.json()) as { id: string };
  ids = {
    models: MODEL,
    receipts: request,
    usage: request,
    keys: keyId,
    providers: data[0]?.provider ?? '',
    certifications: data[0]?.certification_id ?? '',
  };
});
afterAll(() => market.close());

/** An id that is there, of what may be named: what operators judge, and the key that would be revoked, may not. */
function knownId({ path }: Operation): string | undefined {
  const [, list = ''] = /(\w+)\/\{/.exec(path) ?? [];
  return path.includes('/operators/') || path.endsWith('/revoke') ? undefined : ids[list];
}

/** The path with ids that are there, or one in place of each. */
function pathOf(operation: Operation, id = knownId(operation)): string {
  return operation.path.replace(
    /(\w+)\/\{\w+\}/,
    (_, list: string) => `${list}/${id ?? UNKNOWN[list] ?? 'nobody'}`,
  );
}

function queryOf({ parameters }: Operation, given: Record<string, string> = {}): string {
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const values = needed.map(({ name, schema }) => [name, (schema.enum?.[0] as string | undefined) ?? MODEL]);
  return new URLSearchParams({ ...Object.fromEntries(values), ...given } as Record<
    string,
    string
  >).toString();
}

/** A body as the document has its examples. */
function bodyOf({ path, body }: Operation): unknown {
  if (path.endsWith('/chat/completions')) return CHAT;
  // Which message would do, and how long it may be, is not tried here: it has to be signed.
  if (path.endsWith('/session')) return { message: 'm', signature: `0x${'ab'.repeat(65)}` };
  const fields = Object.entries(api.resolve(body ?? {}).properties ?? {});
  const examples = fields
    .map(([name, { example }]) => [name, example])
    .filter(([, value]) => value !== undefined);
  const example = Object.fromEntries(examples) as Record<string, unknown>;
  return 'request_token' in example ? { ...example, request_token: randomUUID() } : example;
}

function credentialOf({ credential, path }: Operation): Record<string, string> {
  if (credential === undefined) return { origin: market.ready.gateway };
  return credentials[path.includes('/operators/') ? 'operator' : credential] ?? {};
}

/** Asks, and fails where the reply is not as described. */
async function ask(operation: Operation, asked: Asked = {}): Promise<Reply> {
  const { path = pathOf(operation), query = queryOf(operation), body } = asked;
  const { headers = { ...credentialOf(operation), 'content-type': 'application/json' } } = asked;
  const isText = typeof body === 'string' || body === undefined;
  const response = await fetch(`${market.ready.gateway}${path}${query && `?${query}`}`, {
    method: operation.method,
    headers,
    body: isText ? body : JSON.stringify(body),
  });
  const reply = { status: response.status, headers: response.headers, text: await textOf(response) };
  const faults = api.faultsOf(operation, reply);
  if (faults.length > 0) {
    const request = JSON.stringify({ path, query, body }).slice(0, 1_000);
    throw new Error(`${faults.join('; ')}\n${request}\n${reply.status} ${reply.text.slice(0, 1_000)}`);
  }
  return reply;
}

/** All of it; of what never ends, nothing. */
async function textOf(response: Response): Promise<string> {
  if (!response.url.endsWith('/portal/api/live') || !response.ok) return response.text();
  await response.body?.cancel();
  return '';
}

/** What each of them ends with; some at a time. */
async function each<T>(list: Iterable<T>, act: (one: T) => Promise<unknown>): Promise<void> {
  const iterator = list[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

describe.each(operations)('%s answers as the document says', (name, operation) => {
  if (!NOT_DONE.test(name)) {
    it('when it is asked properly', async () => {
      const { status, text, headers } = await ask(operation, { body: operation.body && bodyOf(operation) });
      const tag = headers.get('etag');
      if (tag !== null) await ask(operation, { headers: { 'if-none-match': tag } });
      const known = !operation.path.includes('{') || knownId(operation) !== undefined;
      if (operation.method === 'GET' && operation.credential !== 'wallet' && known)
        expect([status, text]).toEqual([200, text]);
    });

    it('to odd queries and paths', async () => {
      const body = operation.body && bodyOf(operation);
      const queries = operation.parameters.filter((parameter) => parameter.in === 'query');
      const asked = queries.flatMap(({ name: field }): Asked[] => [
        ...ODD_QUERIES.map((value) => ({ query: queryOf(operation, { [field]: value }) })),
        ...['=1&', '=%&', '=%ff&', '[]=1&', '&'].map((text) => ({
          query: `${field}${text}${queryOf(operation)}`,
        })),
      ]);
      const paths = operation.path.includes('{')
        ? ODD_PATHS.map((id) => ({ path: pathOf(operation, id) }))
        : [];
      await each([...asked, ...paths], (one) => ask(operation, { ...one, body }));
    });
  }

  if (operation.credential !== undefined) {
    it('to who has no credential, or one of another kind', async () => {
      const { bearer = {}, session = {} } = credentials;
      const others: Record<string, string>[] = [
        {},
        { authorization: 'Basic eDp5' },
        { authorization: 'Bearer ' },
        { cookie: 'svc_portal_testnet=x' },
      ];
      const foreign = {
        bearer: session,
        session: { ...bearer, origin: market.ready.gateway },
        wallet: bearer,
      };
      const all: Record<string, string>[] = [
        ...others,
        foreign[operation.credential as keyof typeof foreign],
      ];
      await each(all, async (headers) => {
        const { status } = await ask(operation, { headers, body: operation.body && '{}' });
        expect([headers, status]).toEqual([headers, 401]);
      });
    });
  }

  const schema = operation.body;
  if (schema && !NOT_DONE.test(name)) {
    it('to bodies that are not quite right, and takes none that it forbids', async () => {
      const variants = [...nearValid(api, schema, bodyOf(operation))];
      // Both ways lead to the same rules.
      const some = name.includes('/playground/') ? variants.slice(0, 40) : variants;
      await each(some, async ({ how, body }) => {
        const reply = await ask(operation, { body });
        if (api.allows(schema, body)) return;
        expect([how, reply.status, reply.text]).toEqual([how, 400, reply.text]);
        const { error } = JSON.parse(reply.text) as { error: { param: string | null } };
        // Then it was taken, and looked at no further: in its place, a signature that fits would have done.
        const isTaken = error.param === 'signature' && SIGNED.test(name) && !how.includes('signature');
        expect([how, reply.text, isTaken]).toEqual([how, reply.text, false]);
      });
    });

    it('to bodies of other kinds', async () => {
      const kinds = [
        'text/plain',
        'application/xml',
        'application/vnd.x+json',
        'application/json; charset=utf-8',
      ];
      await each(kinds, (type) =>
        ask(operation, { headers: { ...credentialOf(operation), 'content-type': type }, body: '{}' }),
      );
      await each(['', '{', 'null', '[]', '{}{}', '\ufeff{}', '\0', '{"__proto__":{}}'], (body) =>
        ask(operation, { body }),
      );
    });
  }
});
