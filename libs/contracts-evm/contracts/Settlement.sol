// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Hashes} from "@openzeppelin/contracts/utils/cryptography/Hashes.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/**
 * @title Collects what wallets owe for settled requests
 * @notice Cumulative pull: a due names everything a payer has ever owed, and the contract pulls what has not been
 * pulled yet. A replayed, reordered or twice broadcast batch therefore pulls nothing. Tokens go straight from the
 * payer to a treasury fixed at deployment; the contract itself holds none, and a stolen settler key can neither
 * redirect them nor pull more than the caps of a day.
 *
 * Amounts are token base units. A day is a UTC day: `block.timestamp / 1 days`.
 */
contract Settlement is AccessControl, Pausable, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @param cumulative all the payer has ever owed, not what is new
    /// @param root Merkle root of the payer's usage records that this batch adds
    struct Due {
        address payer;
        uint256 cumulative;
        bytes32 root;
    }

    /// @param payerDay the most pulled from one payer in a day
    /// @param allDay the most pulled from all payers together in a day
    struct Caps {
        uint96 payerDay;
        uint96 allDay;
    }

    /// @dev One storage slot. `pulled` never falls; `pulledToday` counts for `day` only.
    struct Account {
        uint128 pulled;
        uint32 day;
        uint96 pulledToday;
    }

    struct Position {
        uint256 balance;
        uint256 allowance;
        uint256 pulled;
    }

    bytes32 public constant SETTLER_ROLE = keccak256("SETTLER_ROLE");
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");

    /// @notice The most dues in a batch; it keeps one below the 2^24 gas a transaction may use (EIP-7825).
    uint256 public constant MAX_DUES = 250;

    /// @notice Gas that must be left before each pull: more than any USDC transfer takes.
    uint256 public constant GAS_PER_PULL = 150_000;

    IERC20 public immutable token;
    address public immutable treasury;

    Caps public caps;

    mapping(bytes32 batchId => bytes32 root) public batchRoot;
    mapping(address payer => Account account) private _accounts;
    Account private _everybody;

    event Pulled(
        bytes32 indexed batchId,
        address indexed payer,
        uint256 amount,
        uint256 pulled,
        uint256 cumulative,
        bytes32 root
    );
    event PullFailed(bytes32 indexed batchId, address indexed payer, uint256 amount);
    event BatchSettled(bytes32 indexed batchId, bytes32 root, uint256 dues, uint256 amount);
    event CapsChanged(uint96 payerDay, uint96 allDay);

    error ZeroAddress();
    error EmptyBatch();
    error BatchTooLarge(uint256 dues, uint256 max);
    /// @dev The batch id was used before for other dues.
    error BatchConflict(bytes32 batchId);
    /// @dev Too little gas was sent to try every pull.
    error GasTooLow(uint256 left);

    constructor(IERC20 token_, address treasury_, address admin, address settler, address pauser, Caps memory caps_) {
        if (address(token_) == address(0) || treasury_ == address(0)) revert ZeroAddress();
        if (admin == address(0) || settler == address(0) || pauser == address(0)) revert ZeroAddress();
        token = token_;
        treasury = treasury_;
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(SETTLER_ROLE, settler);
        _grantRole(PAUSER_ROLE, pauser);
        _setCaps(caps_);
    }

    /**
     * @notice Pulls from every payer min(due, balance, allowance, what the caps leave). A payer whose transfer the
     * token refuses is left out with {PullFailed}; the others are pulled all the same, and what remains is due again
     * in any later batch.
     * @dev The same batch may be sent again and pulls what is still due; other dues under a used id are refused.
     */
    function settle(
        bytes32 batchId,
        Due[] calldata dues
    ) external onlyRole(SETTLER_ROLE) whenNotPaused nonReentrant {
        if (dues.length == 0) revert EmptyBatch();
        if (dues.length > MAX_DUES) revert BatchTooLarge(dues.length, MAX_DUES);
        bytes32 root = _rootOf(dues);
        bytes32 known = batchRoot[batchId];
        if (known != root) {
            if (known != 0) revert BatchConflict(batchId);
            batchRoot[batchId] = root;
        }
        Account memory everybody = _today(_everybody);
        uint256 before = everybody.pulled;
        for (uint256 i = 0; i < dues.length; ++i) {
            uint256 amount = _pull(batchId, dues[i], _left(everybody, caps.allDay));
            _count(everybody, amount);
        }
        _everybody = everybody;
        emit BatchSettled(batchId, root, dues.length, everybody.pulled - before);
    }

    /// @notice All that was ever pulled from `payer`. Only grows.
    function pulled(address payer) external view returns (uint256) {
        return _accounts[payer].pulled;
    }

    /// @notice All that was ever pulled from anybody. Only grows.
    function totalPulled() external view returns (uint256) {
        return _everybody.pulled;
    }

    /// @notice What each payer could be made to pay now, read at one block.
    /// @return token_ the token the positions are in, for the reader to compare with the one it expects
    function positionsOf(
        address[] calldata payers
    ) external view returns (address token_, Position[] memory positions) {
        positions = new Position[](payers.length);
        for (uint256 i = 0; i < payers.length; ++i) {
            positions[i] = Position({
                balance: token.balanceOf(payers[i]),
                allowance: token.allowance(payers[i], address(this)),
                pulled: _accounts[payers[i]].pulled
            });
        }
        return (address(token), positions);
    }

    /// @notice Replaces both caps. They bound what a stolen settler key can do in a day.
    function setCaps(Caps calldata caps_) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setCaps(caps_);
    }

    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    /// @dev Not the pauser's: whoever stole that key may stop settlement, never start it.
    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        _unpause();
    }

    function _pull(bytes32 batchId, Due calldata due, uint256 leftForAll) private returns (uint256 amount) {
        Account memory account = _today(_accounts[due.payer]);
        if (due.cumulative <= account.pulled) return 0;
        amount = Math.min(due.cumulative - account.pulled, Math.min(_left(account, caps.payerDay), leftForAll));
        amount = Math.min(amount, token.balanceOf(due.payer));
        amount = Math.min(amount, token.allowance(due.payer, address(this)));
        if (amount == 0) return 0;
        // A transfer that ran out of gas looks like a refused one; gas estimation would settle on such an amount.
        if (gasleft() < GAS_PER_PULL) revert GasTooLow(gasleft());
        if (!token.trySafeTransferFrom(due.payer, treasury, amount)) {
            emit PullFailed(batchId, due.payer, amount);
            return 0;
        }
        _count(account, amount);
        _accounts[due.payer] = account;
        emit Pulled(batchId, due.payer, amount, account.pulled, due.cumulative, due.root);
    }

    /// @dev A copy of `account` with the tally of an earlier day dropped.
    function _today(Account memory account) private view returns (Account memory) {
        uint32 day = uint32(block.timestamp / 1 days);
        if (account.day != day) {
            account.day = day;
            account.pulledToday = 0;
        }
        return account;
    }

    /// @dev What `cap` leaves today; nothing when an earlier, higher cap has already been used up.
    function _left(Account memory account, uint96 cap) private pure returns (uint256) {
        return cap > account.pulledToday ? cap - account.pulledToday : 0;
    }

    /// @dev The caps keep `amount` within 96 bits.
    function _count(Account memory account, uint256 amount) private pure {
        account.pulled += uint128(amount);
        account.pulledToday += uint96(amount);
    }

    /**
     * @dev Merkle root over the dues in their order; an odd node moves up unchanged. Leaves are hashed twice and pairs
     * sorted, so OpenZeppelin's MerkleProof verifies a due in it.
     */
    function _rootOf(Due[] calldata dues) private pure returns (bytes32) {
        uint256 width = dues.length;
        bytes32[] memory nodes = new bytes32[](width);
        for (uint256 i = 0; i < width; ++i) {
            nodes[i] = keccak256(
                bytes.concat(keccak256(abi.encode(dues[i].payer, dues[i].cumulative, dues[i].root)))
            );
        }
        while (width > 1) {
            uint256 pairs = width / 2;
            for (uint256 i = 0; i < pairs; ++i) {
                nodes[i] = Hashes.commutativeKeccak256(nodes[2 * i], nodes[2 * i + 1]);
            }
            if (width % 2 == 1) nodes[pairs] = nodes[width - 1];
            width = pairs + (width % 2);
        }
        return nodes[0];
    }

    function _setCaps(Caps memory caps_) private {
        caps = caps_;
        emit CapsChanged(caps_.payerDay, caps_.allDay);
    }
}
