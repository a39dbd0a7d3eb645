import { Controller } from '@nestjs/common';
import { VerifySignatureRequest, billingContracts } from '@svc/contracts';
import type { VerifiedSignature } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { SignatureService } from './signature.service';

@Controller()
export class SignatureController {
  constructor(private readonly signatures: SignatureService) {}

  // By the chain alone.
  @HandleRpc(billingContracts.verifySignature, { whilePaused: true })
  async verify({ wallet, message, signature }: VerifySignatureRequest): Promise<VerifiedSignature> {
    return { isValid: await this.signatures.isSigned(wallet, message, signature) };
  }
}
