/** How much of attachments is read, kept and shown. */

/** Of one file as it arrives, bytes: what Matrix servers accept by default is 50 MB, what a Worker can hold is less. */
export const FILE_BYTES = 25_000_000;
/** Of all files of a message together, bytes, failed ones included. More ends the turn. */
export const MESSAGE_BYTES = 50_000_000;
/** Of a file that a client uploads, bytes: as much as is read of the largest kind of file, a PDF. */
export const UPLOAD_BYTES = 10_000_000;
/** For an upload to arrive, milliseconds: as long as a download may take. */
export const UPLOAD_MS = 60_000;
/** Files of one user that are uploaded and not read yet: those of one message, which has 10 at most. */
export const WAITING_UPLOADS = 10;
/** How long they wait, hours: somebody writes the message meanwhile. */
export const UPLOAD_HOURS = 24;
/** For one download with its redirects and repetitions, milliseconds. */
export const DOWNLOAD_MS = 60_000;
/** For all downloads of a message, milliseconds: ten slow files shall not take the whole turn. */
export const MESSAGE_MS = 120_000;
/** Of an event, whose content holds a file's address, bytes. Matrix allows 65,536. */
export const EVENT_BYTES = 128 * 1024;
/** Of the text of one file, UTF-16 units; what comes after is cut. */
export const TEXT_LENGTH = 50_000;
/** Of an image for a model, bytes: what services of models accept. */
export const IMAGE_BYTES = 5_000_000;
/** Of all images in one request to a model, bytes. In the request they are base64, and an isolate has 128 MB for all of its chats. */
export const REQUEST_IMAGE_BYTES = 8_000_000;
/** Of a page of HTML, bytes: the largest pages that people write have 2 MB of markup. */
export const HTML_BYTES = 5_000_000;
/** Of a PDF, bytes. */
export const PDF_BYTES = 10_000_000;
/** For reading one file that has arrived, milliseconds. */
export const READING_MS = 20_000;
/** Pages of one PDF that are read. */
export const PDF_PAGES = 500;
/**
 * What one packed part of a PDF that is no image may unpack to, and all of them, bytes. The reader reads the contents of a page without a
 * pause: about 0.4 seconds for the slowest contents of 1 MB.
 */
export const PDF_PART_BYTES = 1_000_000;
export const PDF_UNPACKED_BYTES = 64_000_000;
/**
 * Entries in the cross-reference of a PDF, one for each object and each time that it was written. The reader reads all of them,
 * and may go through all of the objects, without a pause: a few tenths of a second.
 */
export const CROSS_REFERENCE_ENTRIES = 20_000;
/**
 * Text of all objects of a PDF, packed or not, without the data of streams, bytes. The reader may read all of them without a pause:
 * 4 MB take about 0.12 seconds.
 */
export const OBJECT_TEXT_BYTES = 4_000_000;
/**
 * Forms of a PDF that are read without a pause, times the calls in all of its contents, bytes. Forms that are packed by deflate alone have
 * no such limit: the reader pauses at each of them.
 */
export const CALLED_FORM_BYTES = 2_000_000;
/** Font files and tables of a PDF, unpacked, each as often as it is named, bytes. A page may load all of them without a pause. */
export const FONT_BYTES = 20_000_000;
/** Entries of all lists `Kids` of a PDF, which are its pages, names and fields. The reader goes through the pages without a pause. */
export const LISTED_KIDS = 5_000;
/** Text of all objects of a PDF together, as a multiple of its size: whole objects have less than the file, endless ones far more. */
export const OBJECT_BYTES_SHARE = 2;
/** Parts of a cross-reference: a PDF gets one or two each time that it is saved as an addition. */
export const CROSS_REFERENCE_PARTS = 200;
/** The payloads of this turn and the one before it stand in the prompt; of older turns notes. */
export const NEWEST_TURNS = 2;
/** Files whose content is kept for one user; of one more the oldest goes. Texts of 50,000 signs are 150 KB at most each. */
export const KEPT_FILES = 100;
/** The part of a model's window that texts of attachments may take, and how much text a token is about. */
export const PROMPT_SHARE = 1 / 4;
export const CHARACTERS_PER_TOKEN = 3;
