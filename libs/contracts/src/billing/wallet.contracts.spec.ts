import { compileValidator } from '@svc/validation';
import { VerifySignatureRequest } from './wallet.contracts';

const validate = compileValidator(VerifySignatureRequest);
const signed = (message: string) =>
  validate({ wallet: `0x${'a'.repeat(40)}`, message, signature: `0x${'ab'.repeat(65)}` });

describe('a message that a signature is checked under', () => {
  it.each(['a', 'a\nb', '\u0000', '\u{1F600}'])('may be any text: %j', (message) => {
    expect(signed(message).ok).toBe(true);
  });

  it.each(['a\ud800b', '\udc00'])('has bytes in UTF-8: %j', (message) => {
    expect(signed(message)).toMatchObject({ ok: false, problem: { path: 'message' } });
  });
});
