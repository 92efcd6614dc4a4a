// Numbers of databases as they are exactly: what a number of JavaScript cannot hold stays a text that says so.

/** A number that would lose digits. */
export class Inexact {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The number of a decimal text. */
export function readNumber(text: string): number | bigint | Inexact {
  if (/^-?\d+$/.test(text)) {
    const whole = BigInt(text)
    const number = Number(whole)
    return Number.isSafeInteger(number) ? number : whole
  }
  const number = Number(text)
  return Number.isFinite(number) && readDigits(text) === readDigits(String(number)) ? number : new Inexact(text)
}

/** Sign, significant digits and exponent, which two spellings of one number share. */
function readDigits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  const place = Number(exponent) - fraction.length + (digits.length - trimmed.length)
  return trimmed === '' ? '0' : `${sign}${trimmed}e${place}`
}

/** Up to fifteen digits without an exponent are always kept. */
const MAY_LOSE = /\d[\d.]{15}|\d[eE]/

/** A JSON text; a number in it that would lose digits makes the whole of it inexact. @throws SyntaxError */
export function readJson(text: string): object | string | number | boolean | null | Inexact {
  const value: unknown = JSON.parse(text)
  if (!MAY_LOSE.test(text)) return value as object | string | number | boolean | null
  const outside = text.replace(/"(?:[^"\\]|\\.)*"/g, '')
  for (const [number] of outside.matchAll(/-?\d[\d.eE+-]*/g)) {
    const read = readNumber(number)
    if (typeof read !== 'number') return new Inexact(number)
  }
  return value as object | string | number | boolean | null
}
