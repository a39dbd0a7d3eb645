import { Controller } from '@nestjs/common';
import { CheckKeyRequest, CreateKeyRequest, RevokeKeyRequest, billingContracts } from '@svc/contracts';
import type { CheckedKey, CreatedKey } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { KeyService } from './key.service';

@Controller()
export class KeyController {
  constructor(private readonly keys: KeyService) {}

  @HandleRpc(billingContracts.createKey)
  create(request: CreateKeyRequest): Promise<CreatedKey> {
    return this.keys.create(request);
  }

  @HandleRpc(billingContracts.revokeKey)
  revoke({ wallet, keyId }: RevokeKeyRequest): Promise<CreatedKey> {
    return this.keys.revoke(wallet, keyId);
  }

  @HandleRpc(billingContracts.checkKey)
  check({ keyHash }: CheckKeyRequest): Promise<CheckedKey> {
    return this.keys.check(keyHash);
  }
}
