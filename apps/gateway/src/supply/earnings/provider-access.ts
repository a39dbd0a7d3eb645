import { IsSignature } from '@svc/contracts';
import type { IdentifyProviderRequest } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { compileValidator } from '@svc/validation';
import { IsInt, Max, Min } from 'class-validator';
import { IsAddress } from '../../fields/address';

const ACCESS = /^Wallet +([A-Za-z0-9_-]{1,8000})$/i;

/** What the header holds, in base64url: the fields of the signed `Access` in snake case, and the signature. */
class AccessFields {
  @IsAddress()
  provider!: string;

  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  issued_at!: number;

  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  expires_at!: number;

  @IsSignature()
  signature!: string;
}

const validate = compileValidator(AccessFields);

/**
 * What `Authorization: Wallet <access>` claims; whether it is true, the catalogue says.
 * @param wallet whose figures are asked for, in lower case
 * @throws SvcError invalid_api_key unless it is an access of that provider
 */
export function readAccess(authorization: string | undefined, wallet: string): IdentifyProviderRequest {
  const result = validate(decode(ACCESS.exec(authorization ?? '')?.[1]));
  if (!result.ok || result.value.provider.toLowerCase() !== wallet) throw noAccess();
  const { issued_at: issuedAt, expires_at: expiresAt, signature } = result.value;
  return { provider: wallet, issuedAt, expiresAt, signature };
}

function decode(text: string | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(text ?? '', 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The same words for missing, malformed and another's. */
function noAccess(): SvcError {
  return new SvcError({
    code: 'invalid_api_key',
    message:
      'Only the provider may read this. Send "Authorization: Wallet <access>": the base64url of ' +
      '{"provider","issued_at","expires_at","signature"}, signed by this wallet (EIP-712, Access).',
  });
}
