import { describe, expect, it } from 'vitest';
import { Room } from '../../tools/src/console/record/labels.js';

describe('the texts of a picture', () => {
  const at = (x: number, y: number, text = 'now') => ({ text, x, y });

  it('take the first place that is free', () => {
    const room = new Room(200, 100);
    expect(room.place(at(10, 50))).toEqual(at(10, 50));
    expect(room.place(at(12, 55), at(60, 55))).toEqual(at(60, 55));
    expect(room.place(at(12, 55))).toBeUndefined();
  });

  it('have a gap between them on a line', () => {
    const room = new Room(200, 100);
    room.place(at(10, 50, '09:36'));
    expect(room.place(at(43, 50, '09:41'))).toBeUndefined();
    expect(room.place(at(49, 50, '09:41'))).toBeDefined();
  });

  it('are not cut off at an edge', () => {
    const room = new Room(200, 100);
    expect(room.place(at(195, 50))).toBeUndefined();
    expect(room.place({ ...at(10, 50), anchor: 'end' })).toBeUndefined();
    expect(room.place(at(10, 5))).toBeUndefined();
    expect(room.place({ ...at(200, 50), anchor: 'end' })).toBeDefined();
  });

  it('do not stand on a line', () => {
    const room = new Room(200, 100);
    room.take(50, 0, 50, 100);
    expect(room.place({ ...at(50, 50), anchor: 'middle' }, at(54, 50))).toEqual(at(54, 50));
  });
});
