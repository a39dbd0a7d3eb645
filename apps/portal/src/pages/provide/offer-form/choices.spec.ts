import { choicesOf } from './choices';

describe('what a provider may choose', () => {
  it('is told apart by its id where it reads like another', () => {
    const profiles = [
      { id: 'local-standard', hardware: 'cpu' },
      { id: 'prf_1', hardware: 'cpu' },
      { id: 'prf_2', hardware: '1x-l40s' },
    ];
    expect(choicesOf(profiles, ({ hardware }) => hardware)).toEqual([
      { value: 'local-standard', label: 'cpu · local-standard' },
      { value: 'prf_1', label: 'cpu · prf_1' },
      { value: 'prf_2', label: '1x-l40s' },
    ]);
  });
});
