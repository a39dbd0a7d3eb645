import { sha256, toUtf8Bytes } from 'ethers';

/** One concrete build of a model. */
export interface BundleContent {
  model: string;
  weightsDigest: string;
  quantisation: string;
  engine: string;
}

/** How a bundle is run. */
export interface ProfileContent {
  hardwareClass: string;
  /** Tokens. */
  contextLimit: number;
  speedTier: string;
}

/**
 * The id of a bundle that a provider defines: it follows from the content, so nobody can give another content the same id, and two
 * providers with the same build have the same bundle.
 */
export function bundleIdOf({ model, weightsDigest, quantisation, engine }: BundleContent): string {
  return `bnd_${digestOf([model, weightsDigest, quantisation, engine])}`;
}

/** As {@link bundleIdOf}, for a profile. */
export function profileIdOf({ hardwareClass, contextLimit, speedTier }: ProfileContent): string {
  return `prf_${digestOf([hardwareClass, String(contextLimit), speedTier])}`;
}

/** Offers are told apart by who makes them, of which build, run how: a new price is a new version of the same offer. */
export function offerIdOf(provider: string, bundle: string, profile: string): string {
  return `ofr_${digestOf([provider.toLowerCase(), bundle, profile])}`;
}

/** 128 bits: others' ids cannot be met by trying. JSON keeps the parts apart. Browsers make the same. */
function digestOf(parts: readonly string[]): string {
  return sha256(toUtf8Bytes(JSON.stringify(parts))).slice(2, 34);
}
