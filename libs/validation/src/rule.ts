/** As much of class-validator's metadata as is looked at. */
export interface Rule {
  name?: string;
  constraints?: unknown[];
}

/** The number that the rule of that name was given, where there is such a rule. */
export function boundOf(rules: Rule[], name: string, at = 0): number | undefined {
  return rules.find((rule) => rule.name === name)?.constraints?.[at] as number | undefined;
}
