import { ERROR_CODES } from '@svc/errors';
import { adviceFor } from './reply-advice';

const advice = (code: string, param?: string) => adviceFor({ code, message: '', status: 400, param });

describe('adviceFor', () => {
  it.each([...Object.keys(ERROR_CODES), 'offline', 'unreadable'])('has a word on %s', (code) => {
    expect(advice(code).words).toMatch(/\w+\.$|says\.$/);
  });

  it('leads a wallet without means to where it gets some', () => {
    expect(advice('insufficient_quota').links.map(({ to }) => to)).toEqual(['/', '/keys']);
  });

  it('names the field that a model has not', () => {
    expect(advice('feature_not_supported', 'tools').words).toContain('Ask without tools');
  });

  it('offers to turn the playground on where it is off, and only there', () => {
    expect(advice('invalid_request', 'playground').turnOn).toBe(true);
    expect(advice('invalid_request', 'messages').turnOn).toBeUndefined();
  });

  it('leads a wallet that has no room for the playground’s key to its keys', () => {
    expect(advice('invalid_request', 'keys').words).toContain('Revoke a key');
    expect(advice('invalid_request', 'keys').links.map(({ to }) => to)).toEqual(['/keys']);
  });

  it('does not ask again what will be refused again', () => {
    expect([advice('model_not_found').mayRetry, advice('no_capacity').mayRetry]).toEqual([false, true]);
  });
});
