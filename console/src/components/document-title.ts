// The title of the browser tab: the page, then the environment, then the product.
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'

export function useDocumentTitle(title: string): void {
  const { project, environment } = useParams({ strict: false })
  const place = project === undefined || environment === undefined ? undefined : `${project} / ${environment}`
  useEffect(() => {
    document.title = [title, place, 'Zerohop'].filter((part) => part !== undefined).join(' · ')
  }, [title, place])
}
