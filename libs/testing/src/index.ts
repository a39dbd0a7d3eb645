export { createTestDatabase } from './test-database';
export type { TestDatabase } from './test-database';
export { testNats } from './test-nats';
export type { NatsUser, TestNats } from './test-nats';
export { testChain } from './test-chain';
export type { TestAccount, TestChain } from './test-chain';
export { eventually } from './eventually';
export type { EventuallyOptions } from './eventually';
