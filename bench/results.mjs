// The result of a run: rows of checks, figures with their budgets, and notes of what could not be measured. Only
// measured values are added; the JSON form is fixed: rows and figures with exactly these members.

import { FIXED_WORK, measureFixedWork } from './fixed-work.mjs'

/** Milliseconds of the units in which times are given. */
const MS = { ns: 1e-6, µs: 1e-3, ms: 1, s: 1_000 }

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
   * Adds a figure. `least` or `most` is the bound of the ratio when there is a peer, else of the value; `above` and `below`
   * exclude the bound. The bound of a time, or of a number a second, that has no peer is read beside the fixed piece of work: as
   * so many milliseconds on a machine that does this work in one.
   * @param {{ name: string, value: number, unit: string, peer?: string, ratio?: number, least?: number, above?: number,
   * most?: number, below?: number }} figure
   */
  addFigure({ name, value, unit, peer = null, ratio = null, ...given }) {
    const isBound = Object.values(given).some((bound) => bound !== undefined)
    const scale = isBound && ratio === null ? findScale(unit) : null
    if (scale !== null) {
      const fixed = measureFixedWork()
      ratio = scale.isRate ? value * scale.ms * fixed : (value * scale.ms) / fixed
      peer = `${FIXED_WORK}, ${fixed.toPrecision(2)} ms`
    }
    const [least, above, most, below] = ['least', 'above', 'most', 'below'].map((which) =>
      given[which] === undefined || scale === null ? given[which] : rounded(given[which] * scale.ms),
    )
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

/** How a unit is read beside the fixed work: `ms` is what one of it is in milliseconds, or one a second in a millisecond. */
function findScale(unit) {
  if (MS[unit] !== undefined) return { ms: MS[unit], isRate: false }
  // frames have no name: they follow the screen, not the processor
  if (/^\S+\/s$/.test(unit)) return { ms: 1e-3, isRate: true }
  return null
}

const plain = (value) => (value >= 1000 ? value.toLocaleString('en-US') : String(value))
