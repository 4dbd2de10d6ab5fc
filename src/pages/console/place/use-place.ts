import { useEffect, useState } from 'preact/hooks';
import { type Place, hashOf, parsePlace } from '../place.ts';

/** Where somebody is; follows the address. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => parsePlace(location.hash));
  useEffect(() => {
    const follow = (): void => setPlace(parsePlace(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return place;
}

/** Goes to a place. */
export function goTo(place: Place): void {
  location.hash = hashOf(place);
}
