// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

/**
 * @title Worthless stand-in for USDC on local and test chains
 * @notice Behaves like USDC where a settlement system can notice: 6 decimals, EIP-2612 permit, a blacklist, a pause
 * that also stops approvals, and an allowance that shrinks with every `transferFrom`, the maximum value included,
 * without an `Approval` event. Anybody may mint up to {FAUCET_CAP} a call.
 */
contract TestUSDC is ERC20, ERC20Permit, Pausable, Ownable {
    /// @notice The most one faucet call mints: 10,000 tokens, in base units.
    uint256 public constant FAUCET_CAP = 10_000 * 10 ** 6;

    mapping(address account => bool blacklisted) public isBlacklisted;

    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);

    error AccountBlacklisted(address account);
    error FaucetCapExceeded(uint256 amount, uint256 cap);

    constructor(address owner) ERC20("Test USD Coin", "tUSDC") ERC20Permit("Test USD Coin") Ownable(owner) {}

    modifier notBlacklisted(address account) {
        if (isBlacklisted[account]) revert AccountBlacklisted(account);
        _;
    }

    /// @notice Mints `amount` base units to `to`, at most {FAUCET_CAP}. Open to everybody: the token is worth nothing.
    function faucet(address to, uint256 amount) external {
        if (amount > FAUCET_CAP) revert FaucetCapExceeded(amount, FAUCET_CAP);
        _mint(to, amount);
    }

    function blacklist(address account) external onlyOwner {
        isBlacklisted[account] = true;
        emit Blacklisted(account);
    }

    function unBlacklist(address account) external onlyOwner {
        isBlacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @dev Every way a balance changes ends here: transfer, transferFrom and mint. The sender of a `transferFrom` is
    /// checked too, as USDC does.
    function _update(
        address from,
        address to,
        uint256 value
    ) internal override whenNotPaused notBlacklisted(_msgSender()) notBlacklisted(from) notBlacklisted(to) {
        super._update(from, to, value);
    }

    /// @dev Every way an allowance changes ends here: approve, permit and {_spendAllowance}.
    function _approve(
        address owner,
        address spender,
        uint256 value,
        bool emitEvent
    ) internal override whenNotPaused notBlacklisted(owner) notBlacklisted(spender) {
        super._approve(owner, spender, value, emitEvent);
    }

    /// @dev OpenZeppelin leaves a maximum allowance alone; USDC spends it like any other.
    function _spendAllowance(address owner, address spender, uint256 value) internal override {
        uint256 current = allowance(owner, spender);
        if (current < value) revert ERC20InsufficientAllowance(spender, current, value);
        _approve(owner, spender, current - value, false);
    }
}
