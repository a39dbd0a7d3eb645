import { dirname } from 'node:path';
import { complaintAbout } from './mantine-styles';

const MANTINE = dirname(require.resolve('@mantine/core/styles.css'));
const imports = (...names: string[]) =>
  names.map((name) => `import '@mantine/core/styles/${name}.layer.css';\n`).join('');
const EVERYBODYS = ['baseline', 'default-css-variables', 'global'];
/** As Mantine's components name their classes. */
const SCRIPTS = `const button = { root: "m_77c9d27d" }, badge = { root: "m_347db0ec" };`;

describe('complaintAbout', () => {
  it('nothing, where the styles of what is used are there, in the order of Mantine’s own whole', () => {
    expect(complaintAbout(imports(...EVERYBODYS, 'Badge', 'Button'), SCRIPTS, MANTINE)).toBeUndefined();
  });

  it.each([
    ['one is missing', [...EVERYBODYS, 'Badge']],
    ['those of no component are missing', ['Badge', 'Button']],
    ['one is there for nobody', [...EVERYBODYS, 'Badge', 'Button', 'Timeline']],
    ['they are in another order', [...EVERYBODYS, 'Button', 'Badge']],
  ])('says what the list has to be, where %s', (_, names) => {
    expect(complaintAbout(imports(...names), SCRIPTS, MANTINE)).toContain(
      imports(...EVERYBODYS, 'Badge', 'Button').trim(),
    );
  });
});
