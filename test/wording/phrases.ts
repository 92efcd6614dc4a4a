// Phrases that must not come back in what people read, each with what to write instead. A list, not a style checker: a
// phrase joins it when a reader stumbled over it. docs/console.md (Wording) says how texts are written.
export interface Phrase {
  readonly phrase: RegExp
  readonly instead: string
}

const row = (phrase: RegExp, instead: string): Phrase => ({ phrase, instead })

/** In texts of the console, of commands and of errors. */
export const EVERYWHERE: readonly Phrase[] = [
  row(/\bTake(s|n)? away\b/, 'Remove'),
  row(/\b(taken|takes|take) back\b/i, 'revoked, undone, reverted'),
  row(/\b(go|goes|going|take|takes) along\b/i, 'will also be deleted'),
  row(/\b(take|takes) the place of\b/i, 'replaces'),
  row(/\bas of then\b/i, 'at this revision'),
  row(/\bWorth a look\b/, 'Needs attention'),
  row(/\bGive up my\b/, 'Discard my'),
  row(/\bis called that\b/i, 'No results'),
  row(/\bthat there is\b/i, 'existing'),
  row(/\bis told\b/i, 'is shown, gets'),
  row(/\bmend(s|ed)?\b/i, 'fix'),
  row(/\btyped wrong\b/i, 'Check for typos'),
  row(/\bis like this\b/i, 'matches'),
  row(/\bBy the policy alone\b/, 'Role changes'),
  row(/\bone may\b/i, 'users can'),
  row(/\bWho gains, who loses\b/i, 'Who gains and loses access'),
  row(/\bnobody (gains|gained|loses|lost|would|may|has)\b/i, 'no one'),
  row(/\bsomebody else\b/i, 'someone else'),
  row(/\bis there already\b/i, 'already exists'),
  row(/\bsay so\b/i, 'add it'),
  row(/\b\w+\(s\)/, 'counted() of src/model/counted.ts'),
  row(
    /(?<!of )(?<!than )(?<!first )\$\{(?!\w+_MAX)[^{}]+\} (revisions|users|roles|tenants|changes|objects|actions|files|errors|warnings)\b/,
    'counted() of src/model/counted.ts',
  ),
]

/** Besides, in the console. */
export const IN_CONSOLE: readonly Phrase[] = [
  row(/\bmay (?!be\b|have\b|also\b|still\b)\w/i, 'can'),
  row(/\bAs the system\b/, 'System'),
  row(/\bColours\b/, 'Theme'),
  row(/\bMay\b/, 'Can, Access, Permissions'),
  row(/\bComes from\b/, 'Source type'),
  row(/\bReaches\b/, 'Scope'),
  row(/\b(Above|Below)\b/, 'Parents, Children'),
  row(/\bIt never changes\b/, "Can't be changed later."),
  row(/\bcommas between\b/i, 'Comma-separated'),
  row(/\bas your application names\b/i, 'The identifier your app uses.'),
  row(/\bThere (are|is) no\b/, 'No …'),
  row(/\bis missing'/, 'is required'),
  row(/\bas one revision\b/i, 'Save'),
  row(/\bPage before\b/, 'Previous page'),
  row(/\bLook (further|for more)\b/, 'Load more'),
  row(/\bof (its|one's|one’s) own\b/i, 'direct, separate, its own'),
  row(/\bwhat hangs on\b/i, 'everything attached to it'),
  row(/\b(not|nothing) .*\bis there\b/i, 'not found'),
  row(/\bin braces\b/, 'a JSON object'),
  row(/(?<= )everybody\b|\bEverybody\b/, 'everyone'),
]

/** Besides, in documents: words that a native speaker would not write there. */
export const IN_DOCS: readonly Phrase[] = [
  row(/\bsomebody\b/i, 'someone'),
  row(/\bnobody\b/i, 'no one'),
  row(/\beverybody\b/i, 'everyone'),
  row(/\bwhoever\b/i, 'anyone who, the user who'),
  row(/\ball the same\b/i, 'anyway, still'),
  row(/\bany more\b/i, 'no longer'),
  row(/(?<!there )\bis (none\b|no (?!longer\b))/i, 'is not a'),
  row(/\bcomes? to\b/i, 'results in, gets'),
  row(/\bbeside\b/i, 'next to, with'),
  row(/\bof which\b/i, 'whose, from which'),
  row(/\b(says|said) of\b/i, 'reports about'),
  row(/\b(is|are) asked (about|for|of)\b/i, 'an active verb: check, request'),
  row(/^(Of|Who|What) [a-z]+ (is|has|may)\b/, 'a sentence with a verb'),
  row(/nobody's business/, 'must not be revealed'),
  row(/^The file is long/, 'no excuse'),
]

/** In comments. */
export const IN_COMMENTS: readonly Phrase[] = [
  row(/\bis (none|no)\b/, 'is not a'),
  row(/\bcomes? to\b/, 'results in, gets'),
  row(/\bgoes along\b/, 'is also deleted'),
  row(/\bbeside it\b/, 'next to it'),
  row(/\bis told\b/, 'gets, is called with'),
  row(/\bof which\b/, 'whose, from which'),
  row(/\b(says|said) of\b/, 'reports about'),
  row(/^(Of|Who|What) [a-z]+ (is|has|may)\b/, 'a sentence with a verb'),
  row(/nobody's business/, 'must not be revealed'),
  row(/^The file is long/, 'no excuse'),
]

/** In code. */
export const IN_NAMES: readonly Phrase[] = [
  row(/\b(function|const) \w+Of\b/, 'a verb: find…, list…, format…, require…; a field is <record><Field>'),
  row(/\b(said|told|such)\b/, 'a noun for a value, a verb for a function'),
]
