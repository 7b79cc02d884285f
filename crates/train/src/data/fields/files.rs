//! Images and volumes from files: `.npz` archives, and folders of PNG, PGM and PPM images.
//!
//! ```text
//! a.npz      images [n, sizes.., channels] (or without channels, if there is one), labels [n] or [n, sizes..];
//!            where something is asked of images also tokens [n, length]
//! classify   FOLDER/CLASS/NAME.png         classes are as the configuration names them, or the folders in the first
//!                                          FOLDER in the order of their names
//! segment    FOLDER/images/NAME.png with FOLDER/labels/NAME.png, whose pixels are classes (of a palette its numbers)
//! ```
//!
//! Everything is read and held against the configuration before the first step. Whole numbers of 8 bits and images are
//! taken as shares of their largest value, other numbers as they are.

use super::numbers::{place_of, reals, wholes};
use super::pixels::{Meaning, read_pixels};
use super::raster::Pixels;
use super::{EXAMPLE, Examples, no_such_example};
use crate::data::arrays::{Arrays, Values};
use crate::data::content::Content;
use crate::data::corpus::Part;
use crate::npz::{Archive, Array};
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use meshwright_runtime::files::read_regular;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// Largest array that is read, in bytes.
pub(super) const LARGEST: u64 = 4 << 30;

/// What examples must be like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExampleShape {
    /// Of images or volumes, without channels.
    pub sizes: Vec<usize>,
    pub channels: usize,
    pub classes: usize,
    /// What classes are called, if the configuration says so.
    pub names: Vec<String>,
    /// Sizes of the places that have a label each; none if each example has one.
    pub told: Vec<usize>,
    /// What is asked of each image, if anything.
    pub asked: Option<Asked>,
}

/// Questions: so many words of so many kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    pub length: usize,
    pub words: usize,
}

/// The examples of some files or folders, a part each.
pub struct Files {
    parts: Vec<Part>,
    sets: Vec<Set>,
    contents: Vec<Content>,
    /// What classes are called, if the configuration or a folder says so.
    names: Vec<String>,
    shape: ExampleShape,
}

/// The examples of one file or folder.
struct Set {
    images: Vec<f32>,
    labels: Vec<i32>,
    /// Questions, if there are any.
    tokens: Vec<i32>,
}

impl ExampleShape {
    fn pixels(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Numbers of an example.
    fn image(&self) -> usize {
        self.pixels() * self.channels
    }

    /// Labels of an example.
    fn labels(&self) -> usize {
        self.told.iter().product()
    }

    /// `24x24 with 1 channel`.
    fn shown(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(ToString::to_string).collect();
        format!("{} with {}", sizes.join("x"), channels(self.channels))
    }
}

fn channels(count: usize) -> String {
    if count == 1 { "1 channel".to_string() } else { format!("{count} channels") }
}

impl Files {
    pub fn open(paths: &[String], shape: ExampleShape) -> Result<Files, Diagnostic> {
        let names = names_of(paths, &shape)?;
        let mut files = Files { parts: Vec::new(), sets: Vec::new(), contents: Vec::new(), names, shape };
        for path in paths {
            let (set, contents) = if Path::new(path).is_dir() {
                of_folder(path, &files.names, &files.shape)?
            } else {
                let bytes = read(Path::new(path))?;
                (of_archive(path, &bytes, &files.shape)?, vec![Content::of(path, &bytes)])
            };
            let documents = (set.labels.len() / files.shape.labels().max(1)) as u64;
            files.parts.push(Part { name: path.clone(), documents });
            files.sets.push(set);
            files.contents.extend(contents);
        }
        Ok(files)
    }
}

impl Examples for Files {
    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn example(&mut self, part: usize, at: u64) -> Result<Arrays, Diagnostic> {
        let (image, labels) = (self.shape.image(), self.shape.labels());
        let index = usize::try_from(at).unwrap_or(usize::MAX);
        let found = self.sets.get(part).and_then(|set| {
            let begin = index.checked_mul(image)?;
            let first = index.checked_mul(labels)?;
            let image = set.images.get(begin..begin.checked_add(image)?)?.to_vec();
            let labels = set.labels.get(first..first.checked_add(labels)?)?.to_vec();
            let mut list = vec![
                ("image".to_string(), Values::Real(image)),
                ("labels".to_string(), Values::Whole(labels)),
            ];
            if let Some(Asked { length, .. }) = self.shape.asked {
                let tokens = set.tokens.get(index * length..(index + 1) * length)?.to_vec();
                list.push(("tokens".to_string(), Values::Whole(tokens)));
            }
            Some(list)
        });
        found.map(|list| Arrays { list }).ok_or_else(|| no_such_example(part, at))
    }

    fn contents(&self) -> &[Content] {
        &self.contents
    }

    fn class_names(&self) -> &[String] {
        &self.names
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    read_regular(path).map_err(|error| {
        Diagnostic::error(EXAMPLE, format!("cannot read `{}`: {error}", path.display()))
            .help("name files that are there in `data.files`")
    })
}

/// An archive with `images` and `labels`, which may also be its first and second array.
fn of_archive(path: &str, bytes: &[u8], shape: &ExampleShape) -> Result<Set, Diagnostic> {
    let broken = |why: String| {
        Diagnostic::error(EXAMPLE, format!("`{path}`: {why}")).help(
            "write it as `np.savez(path, images=images, labels=labels)`; a part of a file is not enough",
        )
    };
    let mut archive = Archive::new(Cursor::new(bytes)).map_err(broken)?;
    let mut array = |index: usize, name: &'static str| {
        let names: Vec<&str> = archive.names().collect();
        let held = names.join("`, `");
        let entry = archive.find(index, &[name]);
        let entry = entry.ok_or_else(|| broken(format!("it has no array `{name}`, but `{held}`")))?;
        archive.ty(entry).map_err(|why| other_type(path, name, &why))?;
        archive.read(entry, LARGEST).map_err(|why| broken(format!("array `{name}`: {why}")))
    };
    let (images, labels) = (array(0, "images")?, array(1, "labels")?);
    check_dims(path, &images, &labels, shape)?;
    let labels = wholes(path, "labels", &labels)?;
    check_labels(path, &labels, shape.classes, |at| place_of(at, &shape.told))?;
    let tokens = match shape.asked {
        Some(asked) => questions(path, &array(2, "tokens")?, asked, images.ty.dims.first())?,
        None => Vec::new(),
    };
    Ok(Set { images: reals(path, "images", &images)?, labels, tokens })
}

/// An array of what are no numbers that are read, or that does not begin as an array does.
pub(super) fn other_type(path: &str, name: &str, why: &str) -> Diagnostic {
    let help = "write numbers: images and frames by `.astype('float32')`, labels, lengths and words by `.astype('int32')`";
    Diagnostic::error(EXAMPLE, format!("`{path}`: array `{name}`: {why}")).help(help)
}

/// The words of as many questions as there are images.
fn questions(path: &str, array: &Array, asked: Asked, count: Option<&i64>) -> Result<Vec<i32>, Diagnostic> {
    let wanted = [count.copied().unwrap_or(0), asked.length as i64];
    let refused = |message: String, help: &str| Err(Diagnostic::error(EXAMPLE, message).help(help));
    if array.ty.dims != wanted {
        let message = format!("`{path}` has questions of {:?}: they should be {wanted:?}", array.ty.dims);
        return refused(
            message,
            "give each image a row of words, and set `data.question.length` to how many",
        );
    }
    let tokens = wholes(path, "tokens", array)?;
    let is_word = |token: &i32| usize::try_from(*token).is_ok_and(|token| token < asked.words);
    if let Some(at) = tokens.iter().position(|token| !is_word(token)) {
        let (example, token) = (at / asked.length.max(1), tokens[at]);
        let message = format!(
            "`{path}`: question {example} has word {token}, and the {} kinds are 0 to {}",
            asked.words,
            asked.words.saturating_sub(1)
        );
        return refused(message, "set `data.question.words` to as many as there are");
    }
    Ok(tokens)
}

/// Whether arrays have the sizes of the configuration, and as many examples.
fn check_dims(path: &str, images: &Array, labels: &Array, shape: &ExampleShape) -> Result<(), Diagnostic> {
    let sizes: Vec<i64> = shape.sizes.iter().map(|size| *size as i64).collect();
    let (count, found) =
        images.ty.dims.split_first().map_or((0, &[] as &[i64]), |(count, rest)| (*count, rest));
    let with_channels = [&sizes[..], &[shape.channels as i64]].concat();
    if found != with_channels && !(shape.channels == 1 && found == sizes) {
        let message =
            format!("`{path}` has images of {found:?}, and the configuration's are {}", shape.shown());
        let help =
            "set `data.image.size` and `data.image.channels` to what the file has, or give another file";
        return Err(Diagnostic::error(EXAMPLE, message).help(help));
    }
    let told = shape.told.iter().map(|size| *size as i64);
    let wanted: Vec<i64> = std::iter::once(count).chain(told).collect();
    if labels.ty.dims != wanted {
        let message = format!(
            "`{path}` has {count} images and labels of {:?}: they should be {wanted:?}",
            labels.ty.dims
        );
        let help = "give one label for each image to classify, one for each of its places to segment";
        return Err(Diagnostic::error(EXAMPLE, message).help(help));
    }
    Ok(())
}

/// Whether labels are classes. `of` names an element of them: its example and place.
fn check_labels(
    path: &str,
    labels: &[i32],
    classes: usize,
    of: impl Fn(usize) -> String,
) -> Result<(), Diagnostic> {
    let is_class = |label: &i32| usize::try_from(*label).is_ok_and(|label| label < classes);
    let Some(at) = labels.iter().position(|label| !is_class(label)) else { return Ok(()) };
    let (label, last) = (labels[at], classes.saturating_sub(1));
    let message =
        format!("`{path}`: {} has label {label}, and the {classes} classes are 0 to {last}", of(at));
    let help = if label < 0 {
        "classes are numbered from 0 on, and every one counts: give what belongs to no class one of its own, or leave the \
         example out"
            .to_string()
    } else {
        format!(
            "if {label} is a class, set `data.image.classes` to as many as there are, from 0 on; a mark of what is not to \
             count is none: give it a class of its own, or leave the example out"
        )
    };
    Err(Diagnostic::error(EXAMPLE, message).help(help))
}

/// How folders of images lie.
const LAID_OUT: &str =
    "classify: FOLDER/CLASS/NAME.png; segment: FOLDER/images/NAME.png, FOLDER/labels/NAME.png";

/// Ends of names of images.
const ENDS: [&str; 4] = ["png", "pgm", "ppm", "pnm"];

/// What is in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let found = fs::read_dir(folder)
        .and_then(|all| all.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>());
    let mut found = found.map_err(|error| {
        Diagnostic::error(EXAMPLE, format!("cannot read the folder `{}`: {error}", folder.display()))
            .help(LAID_OUT)
    })?;
    found.arrange();
    Ok(found)
}

fn is_image(path: &Path) -> bool {
    path.extension().is_some_and(|end| ENDS.iter().any(|known| end.eq_ignore_ascii_case(known)))
}

/// What classes are called: as the configuration says, or by the folders in the first folder that has some.
fn names_of(paths: &[String], shape: &ExampleShape) -> Result<Vec<String>, Diagnostic> {
    let first = paths.iter().find(|path| Path::new(path).is_dir());
    match first {
        Some(first) if shape.names.is_empty() && shape.told.is_empty() => {
            Ok(class_folders(Path::new(first))?.into_iter().map(|(name, _)| name).collect())
        }
        _ => Ok(shape.names.clone()),
    }
}

/// Folders of images of a class each, with their names. What is hidden is none.
fn class_folders(folder: &Path) -> Result<Vec<(String, PathBuf)>, Diagnostic> {
    let folders = entries(folder)?.into_iter().filter(|path| path.is_dir());
    let named =
        folders.map(|path| (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path));
    Ok(named.filter(|(name, _)| !name.starts_with('.')).collect())
}

/// The number of the class of this name.
fn class_called(name: &str, folder: &Path, names: &[String]) -> Result<i32, Diagnostic> {
    let class = names.iter().position(|known| known == name).and_then(|class| i32::try_from(class).ok());
    class.ok_or_else(|| {
        let shown = names.iter().take(8).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(8);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let message = format!("`{}` is of no class: they are {shown}{more}", folder.display());
        let help = "name all classes in `data.image.names`, or move the folder away: without names the first folder of \
                    `data.files` has all of them";
        Diagnostic::error(EXAMPLE, message).help(help)
    })
}

fn of_folder(path: &str, names: &[String], shape: &ExampleShape) -> Result<(Set, Vec<Content>), Diagnostic> {
    if shape.asked.is_some() {
        let message = format!("the folder `{path}` has no questions");
        return Err(
            Diagnostic::error(EXAMPLE, message).help("give an archive with `images`, `labels` and `tokens`")
        );
    }
    let mut set = Set { images: Vec::new(), labels: Vec::new(), tokens: Vec::new() };
    let mut contents = Vec::new();
    let folder = Path::new(path);
    if !shape.told.is_empty() {
        for image in entries(&folder.join("images"))?.iter().filter(|path| is_image(path)) {
            let name = Path::new(image.file_name().unwrap_or_default());
            let labels = labels_of(&folder.join("labels"), name)?;
            set.images.extend(image_of(image, shape, &mut contents)?);
            let classes = classes_of(&labels, shape, &mut contents)?;
            let of = |at| place_of(at, &shape.told).replacen("example 0", "the place", 1);
            check_labels(&labels.display().to_string(), &classes, shape.classes, of)?;
            set.labels.extend(classes);
        }
    } else {
        for (name, images) in class_folders(folder)? {
            let class = class_called(&name, &images, names)?;
            for image in entries(&images)?.iter().filter(|path| is_image(path)) {
                set.images.extend(image_of(image, shape, &mut contents)?);
                set.labels.push(class);
            }
        }
    }
    if set.labels.is_empty() {
        let message = format!("the folder `{path}` has no images of the kinds .png, .pgm and .ppm");
        return Err(Diagnostic::error(EXAMPLE, message).help(LAID_OUT));
    }
    check_labels(path, &set.labels, shape.classes, |at| place_of(at, &shape.told))?;
    Ok((set, contents))
}

/// The image of classes that is called as this one, whatever kind of file it is.
fn labels_of(folder: &Path, image: &Path) -> Result<PathBuf, Diagnostic> {
    let mut all = ENDS.iter().map(|end| folder.join(image).with_extension(end));
    all.find(|path| path.is_file()).ok_or_else(|| {
        let (image, folder) = (image.display(), folder.display());
        let message = format!("`{image}` has no image of classes of the same name in `{folder}`");
        Diagnostic::error(EXAMPLE, message).help(LAID_OUT)
    })
}

fn opened(path: &Path, meaning: Meaning, contents: &mut Vec<Content>) -> Result<Pixels, Diagnostic> {
    let bytes = read(path)?;
    contents.push(Content::of(&path.display().to_string(), &bytes));
    read_pixels(&bytes, meaning).map_err(|why| {
        Diagnostic::error(EXAMPLE, format!("`{}` is no whole PNG, PGM or PPM image: {why}", path.display()))
            .help("write it again, as by `convert IMAGE out.png`, or leave it out of the folder")
    })
}

/// What is wrong with an image, or with one of classes, that is to have these sizes and channels.
fn other_size(
    path: &Path,
    found: &Pixels,
    (sizes, wanted): (&[usize], usize),
    meaning: Meaning,
) -> Option<Diagnostic> {
    let fits = [found.height, found.width] == *sizes && found.channels == wanted;
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let what = match meaning {
        Meaning::Brightness => "the configuration's images",
        Meaning::Classes => "images of classes here",
    };
    let message = format!(
        "`{}` is {}x{} with {}, and {what} are {} with {}",
        path.display(),
        found.height,
        found.width,
        channels(found.channels),
        sizes.join("x"),
        channels(wanted)
    );
    let help = match meaning {
        Meaning::Brightness => {
            "set `data.image.size` to height and width as \"28x28\", `data.image.channels` to 1 (grey), 2 (grey, and how \
             opaque), 3 (coloured) or 4 (coloured, and how opaque), or bring the images to one size"
        }
        Meaning::Classes => {
            "write it grey, or with a palette, whose numbers are the classes; and as large as the image it is of, or as \
             `data.image.told` says: `data.image.channels` is of the images alone"
        }
    };
    (!fits).then(|| Diagnostic::error(EXAMPLE, message).help(help))
}

fn image_of(path: &Path, shape: &ExampleShape, contents: &mut Vec<Content>) -> Result<Vec<f32>, Diagnostic> {
    let image = opened(path, Meaning::Brightness, contents)?;
    if let Some(found) = other_size(path, &image, (&shape.sizes, shape.channels), Meaning::Brightness) {
        return Err(found);
    }
    let most = f32::from(image.most.max(1));
    Ok(image.values.iter().map(|value| f32::from(*value) / most).collect())
}

fn classes_of(
    path: &Path,
    shape: &ExampleShape,
    contents: &mut Vec<Content>,
) -> Result<Vec<i32>, Diagnostic> {
    let image = opened(path, Meaning::Classes, contents)?;
    if let Some(found) = other_size(path, &image, (&shape.told, 1), Meaning::Classes) {
        return Err(found);
    }
    Ok(image.values.iter().map(|value| i32::from(*value)).collect())
}
