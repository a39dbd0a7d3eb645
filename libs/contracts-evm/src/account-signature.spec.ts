import { N, Signature, SigningKey, Wallet, concat, keccak256, toBeHex, toUtf8Bytes } from 'ethers';
import { accountThatSigned } from './account-signature';

const wallet = new Wallet(`0x${'1'.repeat(64)}`);
const digest = keccak256(toUtf8Bytes('message'));
const signature = new SigningKey(wallet.privateKey).sign(digest);

/** As somebody else could write it. */
function variant({ s = BigInt(signature.s), v = signature.v }: { s?: bigint; v?: number }): string {
  return concat([signature.r, toBeHex(s, 32), toBeHex(v, 1)]);
}

describe('accountThatSigned', () => {
  it('is who signed, whichever way the last byte is written', () => {
    const address = wallet.address.toLowerCase();
    expect(accountThatSigned(digest, signature.serialized)).toBe(address);
    expect(accountThatSigned(digest, signature.serialized.toUpperCase().replace('0X', '0x'))).toBe(address);
    expect(accountThatSigned(digest, variant({ v: signature.v - 27 }))).toBe(address);
  });

  it('is somebody else for another digest', () => {
    expect(accountThatSigned(keccak256('0x00'), signature.serialized)).not.toBe(wallet.address.toLowerCase());
  });

  it.each([
    ['the other s that fits', variant({ s: N - BigInt(signature.s), v: signature.v === 27 ? 28 : 27 })],
    ['another last byte', variant({ v: 29 })],
    ['the last byte of a transaction (EIP-155)', variant({ v: 37 })],
    ['a compact one (EIP-2098)', Signature.from(signature).compactSerialized],
    ['one byte less', signature.serialized.slice(0, -2)],
    ['one byte more', `${signature.serialized}00`],
    ['nothing but zeros', `0x${'0'.repeat(130)}`],
    ['r beyond the curve', concat([toBeHex(N, 32), signature.s, '0x1b'])],
    ['one byte', '0x00'],
  ])('is nobody for %s', (_, other) => {
    expect(accountThatSigned(digest, other)).toBeUndefined();
  });
});
