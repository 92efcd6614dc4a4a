// An instant in the time zone and the words of the reader; in full when one points at it.
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const zoned = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
})

interface InstantProps {
  readonly value: string | number
  /** names the time zone: for what happens then, and not for what was recorded then */
  readonly hasZone?: boolean
}

export function Instant({ value, hasZone = false }: InstantProps) {
  const date = new Date(value)
  return (
    <time dateTime={date.toISOString()} title={full.format(date)}>
      {(hasZone ? zoned : short).format(date)}
    </time>
  )
}

/** As texts of the server have it. */
const PRINTED = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:\d\d))/

/** A text of the server, with its instants in the time zone of the reader. */
export function TextWithInstants({ text }: { readonly text: string }) {
  let at = 0
  return text.split(PRINTED).map((part, place) => {
    const key = at
    at += part.length
    return place % 2 === 0 ? part : <Instant key={key} value={part} hasZone />
  })
}
