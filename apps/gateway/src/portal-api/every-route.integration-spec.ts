import { describeSurface } from '../docs/describe-surface';
import { GatewayHarness, OPERATOR } from '../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../testing/portal-visitor.for-spec';

/** What anybody may ask, and what begins a session. Every other route is for whoever is signed in. */
const OPEN = /^(GET (config|visitor|market(\/.*)?)|POST session(\/nonce)?)$/;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** What queries must have, each as it may be. */
const REQUIRED: Partial<Record<string, string>> = { model: 'svc/demo@1', of: 'billing' };
const BATCH = `0x${'b7'.repeat(32)}`;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
}

interface Route {
  method: string;
  /** Below `/portal/api`, with its slash. */
  path: string;
}

const harness = new GatewayHarness();
let routes: Route[];
/** Those that take a query, which has what it must. */
let lists: string[];
let visitor: PortalVisitor;
let operator: PortalVisitor;

beforeAll(async () => {
  const { paths } = await describeSurface();
  routes = Object.entries(paths)
    .filter(([path]) => path.startsWith('/portal/api/'))
    .flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => ({
        method: method.toUpperCase(),
        path: path.replace('/portal/api', '').replaceAll(/\{\w+\}/g, 'x'),
      })),
    )
    .filter(({ method, path }) => !OPEN.test(`${method} ${path.slice(1)}`));
  lists = Object.entries(paths)
    .filter(([path]) => path.startsWith('/portal/api/'))
    .map(([path, { get }]) => ({ path, query: queryOf(get as { parameters?: Parameter[] } | undefined) }))
    .filter(({ query }) => query !== undefined)
    .map(({ path, query }) => `${path.replace('/portal/api', '').replace('{id}', BATCH)}?${query}`);
  await harness.start({ PORTAL_REQUESTS_PER_MINUTE: '100000' });
  visitor = await PortalVisitor.signedIn(harness, `0x${'a1'.repeat(20)}`);
  operator = await PortalVisitor.signedIn(harness, OPERATOR);
});
afterAll(() => harness.stop());

/** A query with what the route must have; undefined where it takes none. */
function queryOf({ parameters = [] }: { parameters?: Parameter[] } = {}): string | undefined {
  const all = parameters.filter((parameter) => parameter.in === 'query');
  const required = all.filter((parameter) => parameter.required);
  const query = new URLSearchParams(
    Object.fromEntries(required.map(({ name }) => [name, REQUIRED[name] ?? name])),
  );
  return all.length === 0 ? undefined : query.toString();
}

/** What each of the routes answers to these headers, in short. */
async function answers(asked: readonly Route[], headers: Record<string, string>): Promise<string[]> {
  return Promise.all(
    asked.map(async ({ method, path }) => {
      const body = method === 'GET' ? undefined : '{}';
      const reply = await fetch(`${harness.url}/portal/api${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body,
        signal: AbortSignal.timeout(30_000),
      });
      await reply.body?.cancel();
      return `${method} ${path} ${reply.status}`;
    }),
  );
}

const all = (asked: readonly Route[], status: number) =>
  asked.map(({ method, path }) => `${method} ${path} ${status}`);

describe('every route of the portal’s API', () => {
  it('is there to be looked at', () => {
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.filter(({ method }) => method !== 'GET').length).toBeGreaterThan(5);
  });

  it('is for whoever is signed in, and an API key signs nobody in', async () => {
    const { origin, 'x-svc-csrf': csrf } = visitor.headers;
    expect(await answers(routes, {})).toEqual(all(routes, 401));
    const withKey = { authorization: `Bearer ${harness.apiKey}`, origin, 'x-svc-csrf': csrf };
    expect(await answers(routes, withKey)).toEqual(all(routes, 401));
  });

  it('changes nothing for another page, nor without the session’s CSRF token', async () => {
    const writes = routes.filter(({ method }) => method !== 'GET');
    for (const { headers } of [visitor, operator]) {
      const { cookie, origin, 'x-svc-csrf': csrf } = headers;
      expect(await answers(writes, { cookie, origin })).toEqual(all(writes, 403));
      const foreign = { cookie, origin: 'http://evil.example', 'x-svc-csrf': csrf };
      expect(await answers(writes, foreign)).toEqual(all(writes, 403));
    }
  });

  it('is not there for anybody else where it is for operators', async () => {
    const theirs = routes.filter(({ path }) => path.startsWith('/operators'));
    expect(theirs.length).toBeGreaterThan(3);
    expect(await answers(theirs, { ...visitor.headers })).toEqual(all(theirs, 404));
    const allowed = await answers(
      theirs.filter(({ method }) => method === 'GET'),
      { ...operator.headers },
    );
    expect(allowed.filter((answer) => / 40[134]$/.test(answer))).toEqual([]);
  });

  it('takes no parameter that it does not know: a filter that is mistyped would be left out without a word', async () => {
    expect(lists.length).toBeGreaterThan(8);
    const params = lists.map(async (list) => {
      const reply = await operator.get(`${list}&form=x`);
      const { error } = (await reply.json()) as { error?: { param?: string } };
      return [list, reply.status, error?.param];
    });
    expect(await Promise.all(params)).toEqual(lists.map((list) => [list, 400, 'form']));
  });
});
