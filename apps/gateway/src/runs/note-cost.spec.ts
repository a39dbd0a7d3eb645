import { RequestRecord } from '../http/request-record';
import { noteCost } from './note-cost';

describe('noteCost', () => {
  it.each([
    ['{"svc":{"cost_usdc":"0.000123","provider":"x"}}', '0.000123'],
    ['{"content":"\\"cost_usdc\\":\\"9.000000\\"","svc":{"cost_usdc":"1.000000"}}', '1.000000'],
    [`{"a":"${'x'.repeat(5_000)}","svc":{"cost_usdc":"12.345678"}}`, '12.345678'],
    ['{"svc":{"cost_usdc":"much"}}', undefined],
    ['{}', undefined],
    ['', undefined],
  ])('reads the last cost of a reply', (reply, cost) => {
    const record = new RequestRecord(0);
    noteCost(record, Buffer.from(reply));
    expect(record.costUsdc).toBe(cost);
  });
});
