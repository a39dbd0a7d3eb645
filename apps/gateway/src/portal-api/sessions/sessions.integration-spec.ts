import { GatewayHarness, OPERATOR } from '../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../testing/portal-visitor.for-spec';

const wallet = `0x${'a1'.repeat(20)}`;
const harness = new GatewayHarness();

beforeAll(() => harness.start());
afterAll(() => harness.stop());

describe('a session of the portal', () => {
  it('is shown to whoever has its cookie', async () => {
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    const reply = await visitor.get('/session');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    expect(await reply.json()).toMatchObject({
      wallet,
      is_operator: false,
      csrf_token: visitor.headers['x-svc-csrf'],
    });
  });

  it('knows operators', async () => {
    const visitor = await PortalVisitor.signedIn(harness, OPERATOR);
    expect(await (await visitor.get('/session')).json()).toMatchObject({ is_operator: true });
  });

  it('ends when its wallet signs out, and everywhere when it says so', async () => {
    const visitors = await Promise.all([1, 2, 3].map(() => PortalVisitor.signedIn(harness, wallet)));
    const [one, two, three] = visitors as [PortalVisitor, PortalVisitor, PortalVisitor];
    const out = await one.send('DELETE', '/session');
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await one.get('/session')).status).toBe(401);
    const { data } = (await (await two.get('/sessions')).json()) as { data: { current: boolean }[] };
    expect(data.filter(({ current }) => current)).toHaveLength(1);
    expect((await two.send('DELETE', '/sessions')).status).toBe(204);
    for (const each of [two, three]) expect((await each.get('/session')).status).toBe(401);
  });
});
