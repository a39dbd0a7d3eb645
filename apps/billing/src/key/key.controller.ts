import { Controller } from '@nestjs/common';
import {
  CheckKeyRequest,
  CreateKeyRequest,
  ListKeysRequest,
  RevokeKeyRequest,
  RotateKeyRequest,
  ShowKeyRequest,
  UpdateKeyRequest,
  billingContracts,
} from '@svc/contracts';
import type { CheckedKey, CreatedKey, KeyList, KeyView } from '@svc/contracts';
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

  @HandleRpc(billingContracts.listKeys)
  async list({ wallet }: ListKeysRequest): Promise<KeyList> {
    return { keys: await this.keys.list(wallet) };
  }

  @HandleRpc(billingContracts.updateKey)
  update(request: UpdateKeyRequest): Promise<KeyView> {
    return this.keys.update(request);
  }

  @HandleRpc(billingContracts.rotateKey)
  rotate(request: RotateKeyRequest): Promise<CreatedKey> {
    return this.keys.rotate(request);
  }

  @HandleRpc(billingContracts.showKey)
  show({ keyHash }: ShowKeyRequest): Promise<KeyView> {
    return this.keys.show(keyHash);
  }

  @HandleRpc(billingContracts.checkKey)
  check({ keyHash }: CheckKeyRequest): Promise<CheckedKey> {
    return this.keys.check(keyHash);
  }
}
