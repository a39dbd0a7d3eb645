import eslint from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** Which kind of project may import which; see docs/ARCHITECTURE.md, "The tree". */
const kinds = [
  { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:contract', 'type:platform', 'type:pure'] },
  { sourceTag: 'type:platform', onlyDependOnLibsWithTags: ['type:platform', 'type:contract', 'type:pure'] },
  { sourceTag: 'type:contract', onlyDependOnLibsWithTags: ['type:contract', 'type:pure'] },
  { sourceTag: 'type:pure', onlyDependOnLibsWithTags: ['type:pure'] },
];

const SHARED = ['scope:shared'];
/** Who may import what is not for everybody: the tables are their owners', and what starts servers is for machines of developers. */
const scopes = [
  ...['shared', 'gateway', 'cortex', 'dispatch', 'provider-node', 'portal', 'conformance'].map((name) => ({
    sourceTag: `scope:${name}`,
    onlyDependOnLibsWithTags: SHARED,
  })),
  ...['database', 'billing', 'catalog', 'setup'].map((name) => ({
    sourceTag: `scope:${name}`,
    onlyDependOnLibsWithTags: [...SHARED, 'scope:database'],
  })),
];
const boundaries = (depConstraints) => ({
  '@nx/enforce-module-boundaries': [
    'error',
    { allow: [], depConstraints, enforceBuildableLibDependency: false },
  ],
});

export default tseslint.config(
  { ignores: ['**/dist/**', '**/generated/**', '**/node_modules/**', '.local/**', '.nx/**', 'docs/**'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx },
    rules: {
      ...boundaries([...kinds, ...scopes]),
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 5],
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Read the environment in *.config.ts through @svc/config.',
        },
      ],
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.tsx'],
    rules: {
      // Markup takes lines without taking thought.
      'max-lines-per-function': ['error', { max: 120, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: [
      '**/*.config.ts',
      'libs/config/src/**/*.ts',
      'libs/local-servers/src/**/*.ts',
      'apps/local-stack/src/**/*.ts',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['**/*spec.ts', 'libs/testing/**/*.ts', 'apps/e2e/**/*.ts'],
    rules: {
      ...boundaries(kinds),
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      'max-params': 'off',
      'no-restricted-properties': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        performance: 'readonly',
        AbortSignal: 'readonly',
        TextDecoder: 'readonly',
      },
    },
  },
  prettier,
);
