// The result of a run: rows of checks, figures with their budgets, and notes of what could not be measured. Only
// measured values are added; the JSON form is fixed: rows and figures with exactly these members.

/**
 * @typedef {object} Row
 * @property {string} workload
 * @property {string} candidate
 * @property {number | null} opsPerSecond null when the candidate could not load the workload
 * @property {number | null} p50Ns
 * @property {number | null} p99Ns
 * @property {number | null} ratioToHandWritten in the same string form, within the same rounds
 * @property {boolean} checked every decision that was timed had been compared with the plain definition
 *
 * @typedef {object} Figure
 * @property {string} name
 * @property {number} value
 * @property {string} unit
 * @property {string | null} peer what the value is held against
 * @property {number | null} ratio value and peer, in the direction of the budget
 * @property {string | null} budget
 * @property {boolean | null} holds null without a budget
 */

export class Results {
  /** @type {Row[]} */
  rows = []
  /** @type {Figure[]} */
  figures = []
  /** @type {{ name: string, unit: string, points: { facts: number, value: number }[] }[]} for the chart alone */
  curves = []
  /** @type {string[]} */
  notes = []
  /** @type {Map<string, { spread: number, used: number }>} for the table alone */
  details = new Map()

  addRow(row, detail) {
    this.rows.push(row)
    if (detail) this.details.set(`${row.workload} ${row.candidate}`, detail)
  }

  row(workload, candidate) {
    return this.rows.find((row) => row.workload === workload && row.candidate === candidate)
  }

  /**
   * Adds a figure. `least` or `most` is the bound of the ratio when there is a peer, else of the value; `above`
   * excludes the bound.
   * @param {{ name: string, value: number, unit: string, peer?: string, ratio?: number, least?: number, above?: number,
   * most?: number, below?: number }} figure
   */
  addFigure({ name, value, unit, peer = null, ratio = null, least, above, most, below }) {
    const held = ratio ?? value
    const suffix = ratio === null ? ` ${unit}` : '×'
    const bounds = [
      [least, '≥', held >= least],
      [above, '>', held > above],
      [most, '≤', held <= most],
      [below, '<', held < below],
    ].filter(([bound]) => bound !== undefined)
    const budget = bounds.map(([bound, sign]) => `${sign} ${plain(bound)}${suffix}`).join(', ') || null
    const holds = bounds.length === 0 ? null : bounds.every(([, , fits]) => fits)
    this.figures.push({
      name,
      value: rounded(value),
      unit,
      peer,
      ratio: ratio === null ? null : rounded(ratio),
      budget,
      holds,
    })
  }

  note(text) {
    this.notes.push(text)
  }

  toJSON() {
    return { node: process.version, date: new Date().toISOString(), rows: this.rows, figures: this.figures }
  }
}

/** Four significant digits: more would be noise. */
export function rounded(value) {
  return Number(value.toPrecision(4))
}

const plain = (value) => (value >= 1000 ? value.toLocaleString('en-US') : String(value))
