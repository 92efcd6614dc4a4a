// Where the keyboard goes in the matrix. Column -1 is the name of the role; rows and columns count from 0.

export interface Position {
  readonly row: number
  readonly column: number
}

interface Size {
  readonly rows: number
  readonly columns: number
  /** rows that are seen at once */
  readonly page: number
}

interface Stroke {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
}

/** Where a key leads; undefined when it does not move. */
export function moved({ row, column }: Position, stroke: Stroke, { rows, columns, page }: Size): Position | undefined {
  const isFar = stroke.ctrlKey || stroke.metaKey
  const at = (toRow: number, toColumn: number): Position => ({
    row: Math.max(0, Math.min(toRow, rows - 1)),
    column: Math.max(-1, Math.min(toColumn, columns - 1)),
  })
  switch (stroke.key) {
    case 'ArrowUp':
      return at(isFar ? 0 : row - 1, column)
    case 'ArrowDown':
      return at(isFar ? rows - 1 : row + 1, column)
    case 'ArrowLeft':
      return at(row, isFar ? -1 : column - 1)
    case 'ArrowRight':
      return at(row, isFar ? columns - 1 : column + 1)
    case 'Home':
      return at(isFar ? 0 : row, -1)
    case 'End':
      return at(isFar ? rows - 1 : row, columns - 1)
    case 'PageUp':
      return at(row - page, column)
    case 'PageDown':
      return at(row + page, column)
    default:
      return undefined
  }
}
