// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @notice A wallet that is a contract and takes its owner's signatures for its own (EIP-1271). For tests only.
contract TestContractWallet is IERC1271 {
    /// @notice How it answers: as it should, or as a contract that is up to something.
    enum Manner {
        Honest,
        Reverts,
        AnswersShort,
        BurnsGas
    }

    address public immutable owner;
    Manner public immutable manner;

    constructor(address owner_, Manner manner_) {
        owner = owner_;
        manner = manner_;
    }

    /// @inheritdoc IERC1271
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (manner == Manner.Reverts) revert("no");
        if (manner == Manner.AnswersShort) {
            assembly ("memory-safe") {
                mstore(0, shl(224, 0x1626ba7e))
                return(0, 4)
            }
        }
        if (manner == Manner.BurnsGas) {
            uint256 spent = uint256(hash);
            while (spent != 0) spent = uint256(keccak256(abi.encode(spent)));
        }
        return ECDSA.recover(hash, signature) == owner ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
