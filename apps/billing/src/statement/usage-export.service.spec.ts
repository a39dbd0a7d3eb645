import type { RpcClient } from '@svc/messaging';
import { createLogger } from '@svc/observability';
import type { ProjectionService } from '../receipt/projection.service';
import { UsageExportService } from './usage-export.service';
import type { UsageListStore } from './usage-list.store';

/** What an export is refused with whose projection did not come to its end. */
function exported(projection: Pick<ProjectionService, 'project' | 'stopped'>): Promise<void> {
  const rpc = { inbox: { openReusable: () => ({ subject: 'answers', close: () => undefined }) } };
  const service = new UsageExportService(
    {} as UsageListStore,
    projection as ProjectionService,
    rpc as unknown as RpcClient,
    createLogger('billing', 'silent'),
  );
  return service.send({ wallet: `0x${'1'.repeat(40)}` }, 'inbox');
}

it.each([
  ['are far behind', false, { message: expect.stringMatching(/^Statements are behind/) as string }],
  [
    'could not be brought up to date before billing stops',
    true,
    { message: expect.stringMatching(/^Billing is stopping/) as string },
  ],
])('is refused when statements %s, and says so', async (_, stopped, payload) => {
  const refused = exported({ project: () => Promise.resolve(false), stopped });
  await expect(refused).rejects.toMatchObject({ payload: { code: 'no_capacity', ...payload } });
});
