const shared = {
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': ['@swc/jest', { configFile: '.swcrc', swcrc: false }] },
  moduleNameMapper: { '^@svc/(.*)$': '<rootDir>/libs/$1/src/index.ts' },
  modulePathIgnorePatterns: ['/dist/', '/.local/'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  setupFiles: ['reflect-metadata', '<rootDir>/libs/testing/src/jest/typescript-workers.ts'],
};

export default {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs,bench}/**/*.spec.ts'] },
    {
      ...shared,
      displayName: 'integration',
      testMatch: ['<rootDir>/{apps,libs}/**/*.integration-spec.ts'],
      testEnvironment: '<rootDir>/libs/testing/src/jest/integration-environment.ts',
      globalSetup: '<rootDir>/libs/testing/src/jest/global-setup.ts',
      globalTeardown: '<rootDir>/libs/testing/src/jest/global-teardown.ts',
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/apps/e2e/src/**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/apps/e2e/src/stack/global-setup.ts',
      globalTeardown: '<rootDir>/apps/e2e/src/stack/global-teardown.ts',
      setupFilesAfterEnv: ['<rootDir>/apps/e2e/src/stack/patience.ts'],
    },
  ],
  // Ends what hangs, and nothing else: a slow machine takes its time.
  testTimeout: 180_000,
};
