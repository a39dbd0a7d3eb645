import { ApiError, offlineError } from '../../api/api-error';
import { pollOf } from './request-poll';

const settling = (state: string) => ({ settlement: { state } });
const notThere = new ApiError('no', { code: 'not_found', status: 404 });

describe('pollOf', () => {
  it.each([
    ['whose batch is on its way', settling('waiting'), null, 5_000],
    ['that is settled', settling('settled'), null, false],
    ['that cost nothing', settling('nothing'), null, false],
    ['that is not there yet', undefined, notThere, 10_000],
    // The frame asks again for that.
    ['that could not be read', undefined, offlineError(undefined), false],
    ['that is being read', undefined, null, false],
  ])('of a request %s', (_, data, error, pollMs) => {
    expect(pollOf({ data, error }, 10_000)).toBe(pollMs);
  });

  it('leaves what is not there yet to the event stream', () => {
    expect(pollOf({ data: undefined, error: notThere }, false)).toBe(false);
  });
});
