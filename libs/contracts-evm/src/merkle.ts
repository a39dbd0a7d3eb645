import { concat, getBytes, isHexString, toBeHex, zeroPadValue } from 'ethers';
import { keccak } from './quick-keccak';
import type { Due } from './settlement.binding';

/**
 * The one tree shape of this project, on chain and off: leaves in their order, pairs hashed sorted, an odd node moves
 * up unchanged. Leaves are hashed twice, so that none can pass for a node above it. OpenZeppelin's MerkleProof
 * verifies its proofs, and Settlement computes the same root over the dues of a batch.
 *
 * Nodes, leaves and roots are 32 bytes in lower-case hex.
 */

const NODE_BYTES = 32;
/** Written anew for each pair of nodes that is hashed. */
const pair = new Uint8Array(2 * NODE_BYTES);

/** What a provider has ever earned, in base units: one line of a payout tree. */
export interface Earning {
  provider: string;
  cumulative: bigint;
}

/** @throws RangeError without leaves, or for one that is not 32 bytes in hex */
export function merkleRoot(leaves: readonly string[]): string {
  return toHex(layersOf(leaves).at(-1)?.[0] as Uint8Array);
}

/** A tree whose nodes are kept, for many proofs: hashing them takes far longer than looking one up. */
export interface MerkleTree {
  /**
   * The neighbours on the way from a leaf to the root, lowest first; a level that the node passes alone adds none.
   * @throws RangeError when there is no such leaf
   */
  proof(index: number): string[];
}

/** @throws RangeError as {@link merkleRoot} */
export function merkleTree(leaves: readonly string[]): MerkleTree {
  const layers = layersOf(leaves);
  return { proof: (index) => proofIn(layers, index) };
}

function proofIn(layers: readonly (readonly Uint8Array[])[], index: number): string[] {
  const width = layers[0]?.length ?? 0;
  if (!Number.isInteger(index) || index < 0 || index >= width) throw new RangeError('no such leaf');
  const proof: string[] = [];
  let position = index;
  for (const layer of layers) {
    const neighbour = layer[position ^ 1];
    if (neighbour !== undefined) proof.push(toHex(neighbour));
    position >>= 1;
  }
  return proof;
}

/**
 * The root that a leaf and its proof lead to. It proves nothing before it is compared with a root one trusts.
 * @throws RangeError for a node that is not 32 bytes in hex
 */
export function rootFromProof(leaf: string, proof: readonly string[]): string {
  return toHex(proof.reduce((node, neighbour) => hashPair(node, requireNode(neighbour)), requireNode(leaf)));
}

/** The leaf of a payer's line in a batch, as Settlement hashes it. @throws RangeError, TypeError for what does not fit */
export function dueLeaf({ payer, cumulative, root }: Due): string {
  return hashTwice(concat([addressWord(payer), toBeHex(cumulative, 32), requireNode(root)]));
}

/** What `batchRoot` on chain says of a batch of these dues, in this order. @throws RangeError without dues */
export function duesRoot(dues: readonly Due[]): string {
  return merkleRoot(dues.map(dueLeaf));
}

/** The leaf of a provider's line in a payout tree, as Settlement's `claim` hashes it. */
export function payoutLeaf({ provider, cumulative }: Earning): string {
  return hashTwice(concat([addressWord(provider), toBeHex(cumulative, 32)]));
}

/** The root to publish for these earnings; prove a line with {@link merkleTree}. @throws RangeError without any */
export function payoutRoot(earnings: readonly Earning[]): string {
  return merkleRoot(earnings.map(payoutLeaf));
}

/** A leaf from its content, bytes in hex or as such. */
export function hashTwice(content: string | Uint8Array): string {
  return toHex(keccak(keccak(getBytes(content))));
}

/** All levels of the tree, the leaves first, the root last. */
function layersOf(leaves: readonly string[]): Uint8Array[][] {
  if (leaves.length === 0) throw new RangeError('a tree needs a leaf');
  const layers = [leaves.map(requireNode)];
  for (let below = layers[0] as Uint8Array[]; below.length > 1; below = layers.at(-1) as Uint8Array[]) {
    const layer: Uint8Array[] = [];
    for (let index = 0; index < below.length; index += 2) {
      const [left, right] = [below[index] as Uint8Array, below[index + 1]];
      layer.push(right === undefined ? left : hashPair(left, right));
    }
    layers.push(layer);
  }
  return layers;
}

function hashPair(one: Uint8Array, other: Uint8Array): Uint8Array {
  const isInOrder = Buffer.compare(one, other) < 0;
  pair.set(isInOrder ? one : other);
  pair.set(isInOrder ? other : one, NODE_BYTES);
  return keccak(pair);
}

function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** An address as the ABI encodes it; its upper and lower case mean the same. */
function addressWord(address: string): string {
  if (!isHexString(address, 20)) throw new RangeError('not an address');
  return zeroPadValue(address, 32);
}

function requireNode(node: string): Uint8Array {
  if (!isHexString(node, 32)) throw new RangeError('not 32 bytes in hex');
  return Buffer.from(node.slice(2), 'hex');
}
