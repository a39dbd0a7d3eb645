// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Hashes} from "@openzeppelin/contracts/utils/cryptography/Hashes.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/**
 * @title Collects what wallets owe for settled requests, and pays providers what they earned
 * @notice Cumulative both ways: a due names everything a payer has ever owed and a claim everything a provider has ever
 * earned; what moves is the part that has not moved yet. A replayed, reordered or twice broadcast transaction therefore
 * moves nothing. Tokens go straight from the payer to a treasury fixed at deployment, and from there straight to the
 * provider; the contract itself holds none. A stolen settler key can neither redirect them nor pull more than the caps
 * of a day; who is paid is another role's word, and how much in a day is capped too.
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
    /// @param payoutDay the most paid to all providers together in a day
    struct Caps {
        uint96 payerDay;
        uint96 allDay;
        uint96 payoutDay;
    }

    /// @dev One storage slot. `total` never falls; `today` counts for `day` only.
    struct Account {
        uint128 total;
        uint32 day;
        uint96 today;
    }

    /// @notice Who has each role to begin with.
    struct Roles {
        address admin;
        address settler;
        address payer;
        address pauser;
    }

    struct Position {
        uint256 balance;
        uint256 allowance;
        uint256 pulled;
    }

    bytes32 public constant SETTLER_ROLE = keccak256("SETTLER_ROLE");
    bytes32 public constant PAYER_ROLE = keccak256("PAYER_ROLE");
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");

    /// @notice The most dues in a batch; it keeps one below the 2^24 gas a transaction may use (EIP-7825).
    uint256 public constant MAX_DUES = 250;

    /// @notice Gas that must be left before each transfer: more than any of USDC takes.
    uint256 public constant GAS_PER_PULL = 150_000;

    IERC20 public immutable token;
    address public immutable treasury;

    Caps public caps;

    mapping(bytes32 batchId => bytes32 root) public batchRoot;
    mapping(address payer => Account account) private _accounts;
    Account private _everybody;

    /// @notice Merkle root over (provider, all it has ever earned); the one that counts, former ones are void.
    bytes32 public payoutRoot;

    mapping(address provider => Account account) private _payouts;
    Account private _allPayouts;

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
    event PayoutRootPublished(bytes32 root);
    event Paid(address indexed provider, uint256 amount, uint256 paid, uint256 cumulative);
    event PayoutFailed(address indexed provider, uint256 amount);
    event CapsChanged(uint96 payerDay, uint96 allDay, uint96 payoutDay);

    error ZeroAddress();
    error EmptyBatch();
    error BatchTooLarge(uint256 dues, uint256 max);
    /// @dev The batch id was used before for other dues.
    error BatchConflict(bytes32 batchId);
    /// @dev Too little gas was sent to try every transfer.
    error GasTooLow(uint256 left);
    /// @dev The proof does not lead from this claim to the payout root.
    error NotInPayoutRoot(address provider, uint256 cumulative);
    /// @dev Neither the treasury nor this contract can be a provider.
    error InvalidProvider(address provider);

    constructor(IERC20 token_, address treasury_, Roles memory roles, Caps memory caps_) {
        if (address(token_) == address(0) || treasury_ == address(0)) revert ZeroAddress();
        token = token_;
        treasury = treasury_;
        _grantFirst(DEFAULT_ADMIN_ROLE, roles.admin);
        _grantFirst(SETTLER_ROLE, roles.settler);
        _grantFirst(PAYER_ROLE, roles.payer);
        _grantFirst(PAUSER_ROLE, roles.pauser);
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
        uint256 before = everybody.total;
        for (uint256 i = 0; i < dues.length; ++i) {
            uint256 amount = _pull(batchId, dues[i], _left(everybody, caps.allDay));
            _count(everybody, amount);
        }
        _everybody = everybody;
        emit BatchSettled(batchId, root, dues.length, everybody.total - before);
    }

    /**
     * @notice Says what providers have earned in all. The root replaces the last one: what was paid stays counted, so
     * a later root pays only what it adds.
     * @dev Also while paused: after a payer's key was stolen a good root has to stand before claims go on. The zero
     * root stops claims.
     */
    function publishPayoutRoot(bytes32 root) external onlyRole(PAYER_ROLE) {
        payoutRoot = root;
        emit PayoutRootPublished(root);
    }

    /**
     * @notice Pays `provider` from the treasury min(what it earned and was not paid, the treasury's balance, what the
     * treasury lets this contract spend, what the cap of the day leaves). Anybody may call; what remains can be claimed
     * later with the same proof. A transfer that the token refuses changes nothing but {PayoutFailed}.
     * @param cumulative all `provider` has ever earned, as the payout root has it
     * @return amount what was paid now
     */
    function claim(
        address provider,
        uint256 cumulative,
        bytes32[] calldata proof
    ) external whenNotPaused nonReentrant returns (uint256 amount) {
        // The first would hold tokens here for good, the second use up approval and cap with nothing moved.
        if (provider == address(this) || provider == treasury) revert InvalidProvider(provider);
        bytes32 leaf = keccak256(bytes.concat(keccak256(abi.encode(provider, cumulative))));
        if (!MerkleProof.verifyCalldata(proof, payoutRoot, leaf)) revert NotInPayoutRoot(provider, cumulative);
        Account memory account = _today(_payouts[provider]);
        if (cumulative <= account.total) return 0;
        Account memory all = _today(_allPayouts);
        amount = _movable(treasury, Math.min(cumulative - account.total, _left(all, caps.payoutDay)));
        if (amount == 0) return 0;
        if (!_tryMove(treasury, provider, amount)) {
            emit PayoutFailed(provider, amount);
            return 0;
        }
        _count(account, amount);
        _count(all, amount);
        _payouts[provider] = account;
        _allPayouts = all;
        emit Paid(provider, amount, account.total, cumulative);
    }

    /// @notice All that was ever pulled from `payer`. Only grows.
    function pulled(address payer) external view returns (uint256) {
        return _accounts[payer].total;
    }

    /// @notice All that was ever pulled from anybody. Only grows.
    function totalPulled() external view returns (uint256) {
        return _everybody.total;
    }

    /// @notice All that was ever paid to `provider`. Only grows.
    function paid(address provider) external view returns (uint256) {
        return _payouts[provider].total;
    }

    /// @notice All that was ever paid to anybody. Only grows.
    function totalPaid() external view returns (uint256) {
        return _allPayouts.total;
    }

    /// @notice What became of a batch, or would, read at one block.
    /// @return root the batch's, 0 when it was never settled
    /// @return paused_ whether batches are refused now
    /// @return leftToday what the cap for all payers leaves today
    /// @return pulled_ all that was ever pulled, from each payer
    function batchStatus(
        bytes32 batchId,
        address[] calldata payers
    ) external view returns (bytes32 root, bool paused_, uint256 leftToday, uint256[] memory pulled_) {
        pulled_ = new uint256[](payers.length);
        for (uint256 i = 0; i < payers.length; ++i) pulled_[i] = _accounts[payers[i]].total;
        return (batchRoot[batchId], paused(), _left(_today(_everybody), caps.allDay), pulled_);
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
                pulled: _accounts[payers[i]].total
            });
        }
        return (address(token), positions);
    }

    /// @notice Replaces all caps. They bound what a stolen settler or payer key can do in a day.
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
        // It lets this contract spend for payouts; a pull from itself would use that up with nothing moved.
        if (due.payer == treasury) return 0;
        Account memory account = _today(_accounts[due.payer]);
        if (due.cumulative <= account.total) return 0;
        amount = Math.min(due.cumulative - account.total, Math.min(_left(account, caps.payerDay), leftForAll));
        amount = _movable(due.payer, amount);
        if (amount == 0) return 0;
        if (!_tryMove(due.payer, treasury, amount)) {
            emit PullFailed(batchId, due.payer, amount);
            return 0;
        }
        _count(account, amount);
        _accounts[due.payer] = account;
        emit Pulled(batchId, due.payer, amount, account.total, due.cumulative, due.root);
    }

    /// @dev As much of `wanted` as `from` has and lets this contract spend.
    function _movable(address from, uint256 wanted) private view returns (uint256) {
        if (wanted == 0) return 0;
        uint256 covered = Math.min(wanted, token.balanceOf(from));
        return Math.min(covered, token.allowance(from, address(this)));
    }

    /// @return whether the token did it
    function _tryMove(address from, address to, uint256 amount) private returns (bool) {
        // A transfer that ran out of gas looks like a refused one; gas estimation would settle on such an amount.
        if (gasleft() < GAS_PER_PULL) revert GasTooLow(gasleft());
        return token.trySafeTransferFrom(from, to, amount);
    }

    /// @dev A copy of `account` with the tally of an earlier day dropped.
    function _today(Account memory account) private view returns (Account memory) {
        uint32 day = uint32(block.timestamp / 1 days);
        if (account.day != day) {
            account.day = day;
            account.today = 0;
        }
        return account;
    }

    /// @dev What `cap` leaves today; nothing when an earlier, higher cap has already been used up.
    function _left(Account memory account, uint96 cap) private pure returns (uint256) {
        return cap > account.today ? cap - account.today : 0;
    }

    /// @dev The caps keep `amount` within 96 bits.
    function _count(Account memory account, uint256 amount) private pure {
        account.total += uint128(amount);
        account.today += uint96(amount);
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
        emit CapsChanged(caps_.payerDay, caps_.allDay, caps_.payoutDay);
    }

    function _grantFirst(bytes32 role, address account) private {
        if (account == address(0)) revert ZeroAddress();
        _grantRole(role, account);
    }
}
