export {
  IsCredentialPrivateKey,
  IsCredentialPublicKey,
  credentialPublicKeyOf,
  generateCredentialKey,
} from './credential-key';
export { CredentialOpener, CredentialSealer, UnreadableCredentialError } from './credential-seal';
