import astronaut from '../data/natural-astronaut.png?url&no-inline';
import brick from '../data/natural-brick.png?url&no-inline';
import camera from '../data/natural-camera.png?url&no-inline';
import coffee from '../data/natural-coffee.png?url&no-inline';
import grass from '../data/natural-grass.png?url&no-inline';
import gravel from '../data/natural-gravel.png?url&no-inline';
import rocket from '../data/natural-rocket.png?url&no-inline';
import { fetchFile } from '../lib/site-files.js';
import { decodePicture, type GreyPicture } from './decode.js';

/** The photographs that come with the page, from the public-domain set of scikit-image. */
export const PHOTOGRAPHS = [
  { id: 'camera', name: 'Camera', by: 'L. Varshney', url: camera },
  { id: 'astronaut', name: 'Astronaut', by: 'NASA', url: astronaut },
  { id: 'coffee', name: 'Coffee', by: 'R. Michetti', url: coffee },
  { id: 'rocket', name: 'Rocket', by: 'SpaceX', url: rocket },
  { id: 'grass', name: 'Grass', by: 'CC0', url: grass },
  { id: 'gravel', name: 'Gravel', by: 'CC0', url: gravel },
  { id: 'brick', name: 'Brick', by: 'CC0', url: brick },
] as const;
export type PhotographId = (typeof PHOTOGRAPHS)[number]['id'];

/** Where a photograph can be fetched from, for the code that the lab shows. */
export function addressOf(id: PhotographId): string {
  const photograph = PHOTOGRAPHS.find((candidate) => candidate.id === id);
  return new URL(photograph?.url ?? '', import.meta.url).href;
}

const loaded = new Map<PhotographId, Promise<GreyPicture>>();

/** A photograph, fetched once. */
export function loadPhotograph(id: PhotographId): Promise<GreyPicture> {
  const before = loaded.get(id);
  if (before) return before;
  const picture = fetchPhotograph(id);
  loaded.set(id, picture);
  // One that could not be had is not kept: the next try may fare better.
  picture.catch(() => loaded.delete(id));
  return picture;
}

async function fetchPhotograph(id: PhotographId): Promise<GreyPicture> {
  const response = await fetchFile(addressOf(id));
  if (!response.ok)
    throw new Error(`The photograph “${id}” could not be loaded (status ${response.status}).`);
  return decodePicture(await response.blob(), id);
}
