"""The sentence patterns: how a document says a value, and how a person asks for it.

Two kinds of pattern say a value {v}. A FRAME fits every field and names it by one of its heads {h}: "the {h} is {v}".
An idiom belongs to one field: "it is released under {v}". {s} is what the document is about. Those after `held_out`
occur in no training document, the frames in the documents of no field; the evaluation uses only those.
"""

from dataclasses import dataclass
from random import Random

import values
from values import Maker


@dataclass(frozen=True)
class Field:
    """One thing that a document may say."""

    name: str
    keys: tuple[str, ...]  # wordings that ask for it
    heads: tuple[str, ...]  # nouns that name it in a frame
    make: Maker
    plain: tuple[str, ...]  # the patterns of training that one would think of first
    train: tuple[str, ...]  # these and all others of training
    held_out: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """One kind of document: the words for its subject, how it opens, and what it may say."""

    name: str
    subjects: tuple[str, ...]
    openings: tuple[str, ...]
    fields: tuple[Field, ...]


def field(name: str, make: Maker, keys: str, heads: str, train: str, held_out: str) -> Field:
    """A field from plain text: wordings and nouns between bars, patterns one a line, plain ones before three dots."""
    plain, _, more = train.partition("...")
    return Field(name, bars(keys), bars(heads), make, lines(plain), lines(plain) + lines(more), lines(held_out))


def bars(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|"))


def lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


PLAIN_FRAMES = lines("""
    the {h} is {v}
    its {h} is {v}
    the {h} was given as {v}
    as {h} we note {v}
    with {v} as the {h}, {s} is complete
    {v} is the {h}
    {v} is its {h}
    for the {h}, see {v}
    the {h} stands at {v}
    {s} has {v} as its {h}
    we list {v} as the {h}
    the {h} has been set to {v}
    the stated {h} is {v}
    {s} comes with the {h} {v}
    the {h} reads {v}
    the {h} for {s} is {v}
    the {h} of {s} is {v}
    you will find {v} under {h}
    the {h} remains {v}
    our records show {v} for the {h}
    under {h} it says {v}
    the current {h} is {v}
    {v} was named as the {h}
    it names {v} as the {h}
    the {h} is listed as {v}
    here is the {h}: {v}
    a note gives the {h} as {v}
    the {h} ({v}) is known
    {v} has been chosen as the {h}
    its {h}, {v}, is final
    the {h}, which is {v}, was checked
    there is also the {h}, namely {v}
""")
FRAMES = PLAIN_FRAMES + lines("""
    {v} went down as the {h}
    {v} is what we have for the {h}
    {v} is all it says about the {h}
    {v} was put down for the {h}
    {v} is now used as the {h}
    what we still lacked was the {h}: {v}
    {v} is how the {h} reads
    {v} may be taken as the {h} of {s}
    {v} can be read where it says {h}
    {v}: this is the {h}
    {v} - that is the {h}
    {v} (the {h})
    {v}, that is to say the {h}
    {v} is still the {h}, as far as we know
    {v} has been the {h} all along
    {v} is right for the {h}
    {v} is in the field called {h}
    in the file on {s} the {h} is kept as {v}
    {v} was the answer when we asked about the {h}
    {v} is the answer to the question of the {h}
    {v} is meant when we speak of the {h}
    {v} was entered for the {h} of {s}
    {v} is, to our knowledge, the {h}
    {v} is what they told us about the {h}
    {v} is on the line for the {h}
    {v} as the {h} suits everyone
    {v} for the {h}, please
    {v}, as the {h} of {s}, is correct
    {v} has to do as the {h}
    {v} was agreed on as the {h} for {s}
    {v} is the thing to write next to {h}
    {v} should be there as the {h}
    {v} is printed beside the word {h}
    {v} is what {s} got for its {h}
    {v} is what you get if you look up the {h}
    {v}? yes, that is the {h}
    {v} is without doubt the {h} of {s}
    {v} was confirmed to us as the {h}
    {v} will do for the {h}
    {v} at the top is the {h}
    {v} in this text means the {h}
    {v} is to be understood as the {h}
    if the {h} is missing on your copy, add {v}
    {v}, it says here, is the {h}
    {v} must be the {h} they mean
    {v} is here for a reason: it is the {h}
    we put {v} in the box for the {h}
    they gave {v} for the {h}
    please take {v} as the {h}
    somebody wrote {v} on the line for the {h}
    let us keep {v} as the {h} of {s}
    you can rely on {v} as the {h}
    with {v} for the {h}, nothing is left open
    {s} goes with {v} for its {h}
    it is {v} that we call the {h}
    they settled on {v} as the {h} for {s}
    on the form there is {v} for the {h}
    we stick to {v} as the {h}
    use {v} if you are asked for the {h}
    look for {v} next to the word {h}
    the label has {v} where the {h} should be
    by {v} we mean the {h} of {s}
    behind the word {h} there is {v} in print
    the table has {v} in the row for the {h}
    we were told {v} when we asked for the {h}
    the entry '{v}' is for the {h}
    over the {h} there was no dispute: {v}
    we found {v} to be the {h}
    {s}, with {v} as its {h}, is described here
    think of {v} as the {h}
    what is the {h}? {v}
    you asked about the {h}? we have {v}
    regarding the {h} of {s}: {v}
    as to the {h}, it is {v}
    when it comes to the {h}, it is {v}
    its {h} happens to be {v}
    in the box for the {h} there is {v}
    the {h} was entered as {v}
    we have the {h} of {s} down as {v}
    the {h} is, as you may know, {v}
    the {h} they gave us is {v}
    {h} of {s}, as stated: {v}
    after the change the {h} is {v}
    if you need the {h}, it is {v}
    if anyone asks for the {h}, say it is {v}
    the {h} has always been {v} for {s}
    the {h} will be {v} until we say otherwise
    let the {h} be {v}
    may we give you the {h} of {s}: {v}
    the {h} must be {v}, or so it says
    people believe the {h} to be {v}
    we know its {h} to be {v}
    the {h} on this page is {v}
    its {h} can only be {v} as things are
    to put it simply: its {h} is {v}
    the {h} that counts is {v}
    the {h} is {v}, as everyone can see
    the {h} is {v} in this case
    the {h} of {s} was {v} when we looked
    our answer on the {h} is {v}
    where the form asks for the {h}, put {v}
    next to {h} you can read: {v}
    the {h} - {v} - is on record
    the {h} ('{v}') can be read above
    the {h} [{v}] comes first
    the {h}, in other words {v}, is all we need
    by the way, the {h} is {v}
    do not forget the {h} of {s}: {v}
    about its {h} we only know this: {v}
    as far as the {h} goes, we have {v}
    we agreed that the {h} should be {v}
    they say the {h} of {s} is {v}
    nobody doubts that the {h} is {v}
    we were asked for the {h}; it is {v}
    the {h} did not change: it is {v} as ever
    please enter the {h} as {v} on all forms
    write the {h} of {s} like this: {v}
    should you want its {h}: {v}
    one look at the {h} of {s} and you see {v}
    for the {h} of {s} they put {v}
    whatever you hear, the {h} is {v}
    the {h} was {v} from the start
    the {h} appears as {v} on the front
    both copies have the {h} as {v}
    with the {h} we went for {v} again
    the line with the {h} of {s} has {v} in it
    no other {h} than {v} is known for {s}
    the {h}, if you care, is {v}
    so the {h} of {s} would be {v}
    instead of guessing the {h}, take {v} from this page
""")
LINES = lines("""
    {h}: {v}
    {h} = {v}
    {h} - {v}
    * {h}: {v}
    {h} is {v}
    [{h}] {v}
""")
HELD_OUT_FRAMES = lines("""
    the {h} turned out to be {v}
    the {h} given for {s} is {v}
    {v} was noted as its {h}
    the {h}, we note, is {v}
    {s} has the {h} {v}
    {v} stands as the {h}
    for {s} the {h} was set to {v}
    under the {h} you will find {v}
    the {h} shown is {v}
    its {h} has been listed as {v}
    the {h}, namely {v}, is final
    we note {v} for the {h}
""")
HELD_OUT_LINES = lines("""
    - {h}: {v}
    {h} -> {v}
    {h} | {v}
""")

# Other forms of a line, for variation.
BULLETS = ("", "", "* ", "• ", "# ", "> ", "1) ", "> > ", "- ", "The ")
SEPARATORS = (
    ": ",
    " = ",
    " - ",
    " ~ ",
    " :: ",
    " / ",
    ", ",
    "; ",
    " > ",
    ":\n",
    " ... ",
    " => ",
    ". ",
    " (is) ",
    " * ",
)

# How sentences run on into one another, for variation.
RUN_ON = (", ", "; ", " - ", " (", " so ", " as ", " then ", ": ", ", so ", " because ", ", and ", " if ", "! ", " & ")

LINKS = ("and", "while", "; also,", ", and moreover", ", whereas", "; in turn,")
HELD_OUT_LINKS = ("; besides,", ", but")
LEADS = (
    "In addition, ",
    "Also, ",
    "Note that ",
    "As before, ",
    "Moreover, ",
    "At present ",
    "This time ",
    "Today ",
    "As planned, ",
    "In short, ",
    "Of course ",
    "Once more, ",
)
HELD_OUT_LEADS = ("In turn, ", "Besides, ", "Here ", "Please note that ")


def animal(rng: Random) -> str:
    looks = rng.choice((rng.choice(LOOKS), values.word(rng)))
    return f"{looks} {rng.choice(ANIMALS)}"


def storey(rng: Random) -> str:
    return f"{rng.choice(STOREYS)} floor"


LOOKS = [*values.COLOURS, "small", "large", "old", "young", "shy", "lively"]
ANIMALS = values.words("cat dog rabbit horse parrot goat hamster turtle pony duck")
STOREYS = values.words("ground top first second third fourth fifth sixth seventh eighth ninth tenth")

# --- fields that several kinds of document share ----------------------------------------------------------------------

PRICE = field(
    "price",
    values.money,
    "Price | How much does it cost | Cost | price",
    "price | cost | amount to pay",
    """
    it costs {v}
    you pay {v}
    it sells for {v}
    it is sold at {v}
    the cost comes to {v}
    it can be had for {v}
    buyers pay {v} for {s}
    {s} is priced at {v}
    for {v} you can buy it
    we ask {v} for {s}
    ...
    {v} is all we charge for it
    {v} is what you pay at the till
    {v} and not a cent more, that is our price
    {v} will be charged to your card
    {v} buys you {s}
    {v} may sound like a lot, but {s} is worth it
    {v} in cash or by card will do
    {v} is a fair price for {s}
    {v} had to be paid in full
    {v}, tax included
    {v} is what {s} will set you back
    {v} for all of this is a bargain
    {v} went out of my pocket for it
    {v} was the cheapest offer we could find
    {v} has been added to your bill
    expect to spend {v} on it
    they charged us {v} for {s}
    put aside {v} if you want it
    we had to hand over {v} to get it
    the bill was {v} with tax
    for just {v} it can be yours
    a price of {v} is more than fair
    at {v} it is cheap
    you will not find it under {v} anywhere else
    we spent {v} in total and were happy
    hand us {v} and {s} is yours
    the sum of {v} is to be paid in advance
    would you give {v} for it
    its price went up to {v} this year
    reduced to {v} for a short time
    what does it cost? {v}
    total to pay: {v}
    the price tag reads {v}
    we were billed {v}
    {s} is worth {v}
    you get all this for only {v}
    the whole thing cost us {v}
    our best price for {s}: {v}
    all in all, that makes {v}
    we let you have it for {v}
    it now goes for just {v}
    please have the money ready, {v}
    how much is {s}? {v}
    with tax and fees the amount is {v}
    not cheap, but we gladly paid {v}
""",
    """
    {s} costs {v}
    you can buy it for {v}
    it is priced at {v}
    {s} sells at {v}
""",
)
CONTACT = field(
    "email",
    values.email,
    "Contact | Email | Email address | Contact address",
    "contact | email | email address",
    """
    write to {v}
    questions go to {v}
    you can reach us at {v}
    send an email to {v}
    please mail {v}
    contact {v} for more
    for more, write an email to {v}
    we answer mail sent to {v}
    mail {v} with any questions
    ask at {v}
    ...
    {v} is where your mail finds us
    {v} is read by our team every day
    {v} is the address for all questions
    {v} takes your mail day and night
    {v} will get you an answer
    {v} is our inbox
    {v} would be the right place for your message
    {v} can help if {s} is unclear
    {v} awaits your message
    {v} - write there to ask about {s}
    {v}: that is our address for mail
    {v} (email) is open to everyone
    {v} is how you reach us in writing
    {v} handles every request we get
    {v} should be your first stop for help by mail
    drop a line to {v} if {s} is not clear to you
    get in touch via {v} for anything else
    use {v} for all further questions
    if you have doubts, {v} is there to help
    our inbox at {v} is checked every morning
    for {s}, a short mail to {v} is enough
    messages about {s} to {v} are answered within a day
    you may email {v} at any time
    we can be found at {v} by email
    ask us through {v} about anything
    let {v} know if you need help
    feedback goes to {v} and nowhere else
    our email, {v}, is open to all
    anyone who writes to {v} gets a reply
    send {v} a note and wait for our answer
    our mailbox is {v}
    do not hesitate to email {v}
    how do you reach us? by mail to {v}
    any comments should be sent to {v}
    please direct all mail to {v}
    your message will reach us at {v}
    need help? just write to {v}
    we would love to hear from you at {v}
    got something to say? {v}
    forward your request to {v}
    comments and complaints about {s} go to {v}
    to get in touch by email, use {v}
    whoever wants to know more about {s} can email {v}
    all mail about {s} is collected at {v}
    if {s} leaves you with questions, try {v}
    {v} is the address for all your questions
    {v} is where your mail should go
    {v} takes your questions about {s}
    {v} will answer you within a day
    {v} is how you reach us in writing
    {v} is read every morning, so do write
    {v} - drop us a line there
    {v} is glad to hear from you
    {v} stands ready for mail about {s}
    {v} works best if you want to get in touch
    send a line to {v} if you need help
    a short mail to {v} is enough
    if anything is unclear, {v} will help
    use {v} to get in touch
    a message to {v} will be answered soon
    we read all that comes in at {v} and reply
    anyone curious about {s} can turn to {v} at any time
    tell {v} if something is wrong with {s}
    let us know at {v} if you want to hear more
    our inbox {v} is open to you
    want to get in touch? {v}
    our inbox can be found at {v}
    please direct your questions to {v}
    any comments on {s} should go to {v}
    we are glad to get your mail at {v}
    to ask about {s}, email {v}
    for help, drop us a note at {v}
    your message will find us under {v}
    get hold of us by mail: {v}
    enquiries about {s} are handled at {v}
""",
    """
    for questions, contact {v}
    you can write to us at {v}
    please send mail to {v}
""",
)
WEBSITE = field(
    "web",
    values.web,
    "Website | Web page | URL | Link",
    "website | web page | link | URL",
    """
    more can be read at {v}
    visit {v}
    see {v} for more
    details are online at {v}
    find it on the web at {v}
    we put everything online: {v}
    go to {v} to read on
    it has a page at {v}
    browse to {v}
    {s} is online at {v}
    ...
    {v} has all the details
    {v} is our home on the web
    {v} tells you more
    {v} is where you can read about {s}
    {v} shows {s} in pictures and words
    {v} holds the full story
    {v} is the link to follow
    {v} opens in any browser
    {v} will tell you the rest
    {v} gives more news about {s}
    {v} - click there for the full text
    {v} (our site) is updated every week
    {v}: that is our page
    {v} explains everything in full
    {v} is worth a click if you want more
    take a look at {v} for the whole story of {s}
    open {v} in your browser
    click on {v} to learn more
    our site {v} has everything you need
    we keep {v} up to date
    if you follow {v} you will find more
    you will find us at {v} on the net
    the page {v} is open to everyone
    have a look at {v} and see for yourself
    type {v} into your browser
    all news about {s} is on {v} as usual
    we post updates about {s} on {v} every week
    point your browser to {v} for more
    on {v} we tell you everything
    the link, {v}, leads to our page
    those who want more can use {v} as a starting point
    our home page is {v}
    the site is up at {v}
    surf to {v}
    where on the web? {v}
    further reading about {s} is at {v}
    to find out more, follow {v}
    everything about {s} can be found on {v}
    want to see more? {v}
    for {s} we have set up a site at {v}
    the full text is posted at {v}
    our web pages live at {v}
    learn more on our site, {v}
    curious about {s}? then head to {v}
    the latest is always on {v}
    {v} is where you can find us online
    {v} is the place to look for the rest
    {v} has all the details
    {v} tells you everything else
    {v} gives the full story with pictures
    {v} is our home on the web
    {v} - click there to learn more
    {v} can be opened in any browser
    {v} takes you straight to {s}
    {v} shows {s} in full
    on {v} you will find the full details
    our site {v} has the rest
    open {v} in your browser
    have a look at {v} for the full text
    look around {v} to learn more about {s}
    if you want to know more, {v} has the answers
    type {v} into the address bar to get there
    we keep {v} up to date with news
    click on {v} to see {s}
    follow {v} to get to our page
    our website can be found at {v}
    the link to {s} is {v}
    where to look online? {v}
    everything about {s} is posted at {v}
    you can look it up online under {v}
    further reading: {v}
    on the internet we are at {v}
    to find out more, head over to {v}
    all further details are on our page, {v}
    just point your browser to {v}
""",
    """
    read more at {v}
    for details visit {v}
    a page is online at {v}
""",
)
PHONE = field(
    "phone",
    values.phone,
    "Phone | Phone number | Telephone",
    "phone number | telephone | phone",
    """
    call {v}
    you can call us on {v}
    ring {v} to reach us
    by phone we are at {v}
    dial {v} for help
    our telephone is answered at {v}
    phone us: {v}
    calls to {v} are free
    ...
    {v} is the number to dial
    {v} rings in our office
    {v} is our line for callers
    {v} gets you through to our desk
    {v} connects you with those who know {s}
    {v} is answered from nine to five
    {v} works day and night for calls
    {v} - just ring and ask about {s}
    {v} (phone) is staffed all week
    {v}: call us there
    {v} is how you get us on the phone
    {v} can be dialled at any hour
    {v} puts you straight through to our team
    {v} would be the number to try first
    {v} takes your calls until late in the evening
    give us a call on {v} if you like
    ring us up at {v} for a chat about {s}
    {s} is new to you? phone {v} and ask
    try {v} if you would rather talk
    our line {v} is open all day
    callers use {v} to get through
    if it is urgent, ring {v} at once
    someone at {v} will take your call
    text or call {v} with your question
    our hotline, {v}, is open to all
    whoever dials {v} speaks to one of us
    we answer {v} during office hours
    save {v} in your phone for later
    by calling {v} you get our front desk
    we take calls on {v} at any time
    our number is {v}
    want to talk? {v}
    you get us on the line at {v}
    our desk picks up at {v}
    to speak with us, call {v}
    if you prefer to talk about {s}, our line is {v}
    the hotline for {s} is {v}
    to ask about {s} by phone, dial {v}
    we are only a call away: {v}
    feel free to ring us on {v}
    which number should you ring? {v}
    phone enquiries about {s} are taken at {v}
    leave us a message on {v}
    for a word with our staff, phone {v}
    you will hear a friendly voice at {v}
""",
    """
    please call {v}
    reach us by phone on {v}
    dial {v} to call us
""",
)

# --- kinds of document ------------------------------------------------------------------------------------------------

MODEL = Kind(
    "model",
    ("it", "the model", "this model", "the release"),
    (
        "We introduce a new language model.",
        "Today we release a model.",
        "Here is our latest work.",
        "We are happy to share our new model.",
        "A new model is out.",
        "Our team trained a language model.",
    ),
    (
        field(
            "model",
            values.title,
            "Model name | Name | Name of the model | Model",
            "model name | name | model",
            """
        we introduce {v}
        we present {v}, a language model
        meet {v}
        we are proud to release {v}
        today we announce {v}
        {v} is our new model
        {v} is a language model
        our new model is called {v}
        we call it {v}
        the model goes by the name of {v}
        this is {v}
        say hello to {v}
        it was named {v}
        we release {v} today
        {v}, a new language model, is here
        ...
        {v} is the name we gave our network
        {v} is out now and open to all
        {v} has left the lab and is ready to try
        {v} joins our family of language models
        {v} was the name the team voted for
        {v} is how you should call our system
        {v} - remember that name, for it is our new model
        {v} follows our last model and thinks faster
        {v} (our newest system) can be tried from today
        {v} makes its first public appearance this week
        please welcome {v} to the world of language models
        the name {v} was picked by our interns
        our lab has just launched {v} for the public
        with {v} we bring out our best network so far
        after a year of work, {v} is ready
        you can now download {v} and try it
        the network, which we christened {v}, is open to everyone
        we gave the name {v} to our latest system
        introducing {v}, the next step in our research
        say {v} and everyone here knows which model you mean
        our latest network bears the name {v}
        its makers baptised it {v}
        what is it called? {v}
        everyone in the lab knows it as {v}
        a fresh language model has arrived: {v}
        we are pleased to share {v}
        for a name, we settled on {v}
        let us introduce you to the model {v}
        the paper refers to our system as {v}
        you may have heard of our latest creation, {v}
    """,
            """
        we announce {v}, our new model
        today we present {v}
        {v} is a new language model
        the new model was named {v}
    """,
        ),
        field(
            "parameters",
            values.parameters,
            "Number of parameters | Parameters | Parameter count | Model size | How many parameters",
            "number of parameters | parameter count | size | model size",
            """
        it has {v} in all
        it counts {v} weights
        its size is {v}
        {s} holds {v}
        with {v} it is small enough for most uses
        there are {v} weights in {s}
        it was built with {v}
        a {v} network does the work
        we trained {v} weights
        it packs {v} into its layers
        weighing in at {v}, it is easy to run
        ...
        {v} is how big it is
        {v} is what you get if you count every weight
        {v} may sound large, yet the network is quick
        {v} is the full size, embeddings included
        {v} in size, it still runs on one card
        {v} is the sum of all its weights
        {v} had to be learned, weight by weight
        {v} makes {s} one of the bigger networks
        {v} - so large is {s}
        {v} (all weights counted) is small by today's measure
        we grew it to {v} before we stopped adding layers
        at {v} in size, {s} fits on a laptop
        its weights, {v} in number, are open to all
        we cut it down to {v} so that phones can run it
        we scaled {s} up to {v} for better answers
        measuring {v} in size, it is the largest of the family
        its size, {v} to be exact, suits most machines
        we stopped at {v} because a larger network costs more
        a network as big as {v} needs a good graphics card
        even at {v}, {s} is not the biggest out there
        how large is it? {v}
        {s} is a network of {v}
        the weights in {s} number {v}
        taken together, the weights make {v}
        add up every weight and you arrive at {v}
        we settled on a size of {v}
        the network has been scaled to {v}
        total weights: {v}
        in size {s} reaches {v}
        its brain, so to speak, consists of {v}
    """,
            """
        {s} counts {v} in all
        with {v} weights it is easy to run
        its layers hold {v}
    """,
        ),
        field(
            "context",
            values.tokens,
            "Context length | Maximum number of tokens | Number of max tokens | Context window",
            "context length | context window | maximum length",
            """
        it reads up to {v} at once
        it accepts {v} of context
        texts of up to {v} fit
        its window spans {v}
        the window takes in {v}
        inputs may be {v} long
        it handles {v} of text in one go
        it remembers {v}
        at most {v} fit into the window
        prompts can run to {v}
        ...
        {v} is as far back as it can look
        {v} is the most that you can feed it in one prompt
        {v} is the limit for a single request
        {v} can be kept in mind at one time
        {v} per prompt is what {s} can take in
        {v} is where its memory of the chat ends
        {v} may be sent along with one question
        {v} fill the window, after that old text is lost
        {v} is enough to keep a whole book in view
        {v} marks the end of what {s} can see
        you can paste {v} into one prompt
        keep your prompt below {v} or it will be cut
        beyond {v} the start of the text is forgotten
        we stretched the window to {v} so whole books fit in
        give {s} up to {v} in one request
        anything over {v} is cut from the prompt
        a prompt longer than {v} will be refused
        {s} keeps {v} in view while it writes
        with room for {v} in its window, it reads long reports
        once a chat passes {v}, {s} forgets how it began
        how long may a prompt be? {v}
        {s} can look back over {v}
        no prompt should be longer than {v}
        its attention stretches over {v}
        the longest text {s} can take is {v}
        documents are cut off after {v}
        we tested long prompts of up to {v}
        its short-term memory is good for {v}
        do not send more at once than {v}
        there is room in the window for {v}
    """,
            """
        up to {v} fit into its window
        {s} reads {v} at once
        inputs of up to {v} are accepted
    """,
        ),
        field(
            "licence",
            values.licence,
            "Licence | License | Terms of use | License type",
            "licence | license | terms of use | usage terms",
            """
        it is released under {v}
        it is licensed under {v}
        the weights are licensed as {v}
        you may use it under {v}
        its use is governed by {v}
        it is free to use under the {v} licence
        we publish it under the {v} license
        the weights are available under {v}
        the terms are those of {v}
        it comes under the {v} licence
        {v} terms apply
        {s} is distributed under {v}
        ...
        {v} is the licence we picked
        {v} sets out what you may do with {s}
        {v} applies to code and weights alike
        {v} lets you use and change {s}
        {v} was our choice when it came to licensing
        {v} is the legal basis for using it
        {v} covers the weights, so read it first
        {v} rules hold for every copy
        {v} - those are the terms you agree to
        {v} decides who may copy and sell {s}
        you are bound by {v} when you copy it
        the rules of {v} apply to all who download it
        thanks to {v} you may share your own version
        we put {s} under {v} so that anyone can build on it
        a copy of the {v} licence is in the folder
        read {v} before you sell anything built on {s}
        as {v} permits, firms may sell it too
        we chose {v} because it lets people share
        what {v} allows, you may do with {s}
        by downloading the weights you accept {v} in full
        under which licence? {v}
        the licence file says {v}
        both code and weights are shared as {v}
        you can copy and change it as allowed by {v}
        anyone who shares {s} must respect {v}
        on the legal side, our lawyers settled on {v}
        all rights are granted according to {v}
        licensing: {v}
        legally speaking, {s} falls under {v}
        we give it away on the terms of {v}
    """,
            """
        the weights are released under {v}
        it is available under the {v} license
        {s} may be used under {v}
        the {v} licence governs its use
    """,
        ),
        field(
            "architecture",
            values.architecture,
            "Architecture | Model architecture | Type of network",
            "architecture | design | network type",
            """
        it is a {v}
        it is built as a {v}
        under the hood is a {v}
        at its heart lies a {v}
        we chose a {v}
        it follows the design of a {v}
        inside works a {v}
        {s} is based on a {v}
        we built it as a {v}
        it relies on a {v}
        ...
        {v} is the design that we went with
        a {v} is what you find inside
        a {v} forms its core
        {v} - that is how the network is built
        {v} is the type of network we picked
        a {v} proved the best design in our tests
        {v} was the layout that our team agreed on
        {v} describes how {s} is built inside
        a {v} sits behind the simple interface
        a {v} powers {s}
        we turned to a {v} because it scales well
        as a {v} it needs little memory
        since {s} is a {v}, it runs fast
        being a {v}, {s} handles long texts with ease
        our choice of a {v} was no accident
        we had good results with a {v} and kept that design
        the team took a {v} and made it deeper
        think of {s} as a {v} with a few changes
        rather than try something exotic, a {v} was used
        look inside and you see a {v} with many layers
        what kind of network is it? a {v}
        {s} belongs to the class known as {v}
        its layers are arranged as a {v}
        engineers would call {s} a {v}
        architecture-wise we went for a {v}
        on the inside {s} works like a {v}
        the network is wired as a {v}
        type of network: {v}
        its structure is that of a {v}
        the engine behind {s} is a {v}
    """,
            """
        {s} is built on a {v}
        we based it on a {v}
        at heart it is a {v}
    """,
        ),
        field(
            "corpus",
            values.corpus,
            "Training data | Training tokens | Amount of training data",
            "training data | training set | amount of data",
            """
        it was trained on {v}
        it saw {v} in training
        training took {v}
        we fed it {v}
        it learned from {v}
        we trained {s} on {v}
        {v} were used to train it
        its training covered {v}
        we gathered {v} to train on
        ...
        {v} of text made up the training data
        {v} were read before it was finished
        {v} passed through {s} while it was trained
        {v} taught it all it knows
        {v} form the data set behind it
        {v} had to be cleaned before training could start
        {v} of web pages and books were used to teach {s}
        {v} is how much text we trained on
        {v}, gathered over two years, make up the data
        {v} had been read when training ended
        we let {s} study {v} before we stopped the training
        we collected {v} from the web to teach {s}
        after {v} the training run was stopped
        it took {v} to teach {s} to write
        our crawl gave us {v} for the training set
        we mixed {v} from books, code and web pages
        the data team prepared {v} for the training run
        having read {v} in training, {s} knows a great deal
        with {v} to study, {s} learned to write well
        nothing but {v} of public text was used for training
        how much text was it trained on? {v}
        before release {s} had worked through {v}
        the data set holds {v}
        the training mix adds up to {v}
        we built a training set of {v}
        all it knows was drawn from {v}
        {s} went to school on {v}
        we kept training until it had read {v}
        the books, code and pages used for training total {v}
        its pre-training ran over {v}
    """,
            """
        {s} learned from {v}
        in training we fed it {v}
        {v} went into its training
    """,
        ),
        field(
            "developer",
            values.company,
            "Developer | Organisation | Who made it | Company",
            "developer | maker | organisation | company behind it",
            """
        it was made by {v}
        it comes from {v}
        it was built at {v}
        {v} developed it
        the people at {v} built it
        {v} trained {s}
        it is the work of {v}
        {s} was developed by {v}
        researchers at {v} made it
        behind it stands {v}
        ...
        {v} is the company that gave us {s}
        {v} wrote the code and ran the training
        {v} put two years of work into {s}
        {v} has a long history of making models
        {v} owns the project and pays the team
        {v} is where the research was done
        {v} is to thank for {s}
        {v} invented it and keeps it up to date
        {v} is home to the team that made it
        {v} (the makers) plan to train a bigger one
        we at {v} have worked on it for years
        a small team at {v} came up with it
        credit goes to {v} for training it
        the engineers of {v} put it together
        without {v} there would be no such model
        researchers from {v} created it in one year
        if you know {v}, you know who made it
        the lab of {v} is where {s} was born
        when {v} set out to make a model, few took note
        the staff of {v} take pride in {s}
        who made it? {v}
        it was created by {v}
        the team behind it works at {v}
        its home is the lab of {v}
        {s} was designed and trained by {v}
        it is a product of {v}
        {s} is the brainchild of {v}
        the research was carried out by {v}
        brought to you by {v}
        the credit for {s} belongs to {v}
    """,
            """
        {v} built it
        {s} comes from {v}
        it was developed at {v}
    """,
        ),
        field(
            "use",
            values.several(values.TASKS),
            "Use case | Use cases | What is it for | Intended use",
            "use case | purpose | intended use",
            """
        it is meant for {v}
        it is good at {v}
        use it for {v}
        it shines at {v}
        it was made for {v}
        we built it with {v} in mind
        {s} can be used for {v}
        it helps with {v}
        typical uses are {v}
        it does well in {v}
        ...
        {v} are what people use it for
        {v} are among the things it does best
        {v} come easily to it
        {v} were on our minds when we designed it
        {v} are the jobs {s} was built to do
        {v} become easier with {s}
        {v} are tasks that you can hand over to it
        {v} - these are its strengths
        {v} can be left to {s} with confidence
        {v} are where {s} earns its keep
        people turn to it for {v} and are happy with it
        try it on {v} to see what it can do
        for {v} you will find no better tool
        if your work involves {v}, give it a try
        we tuned it for {v} and little else
        we recommend {s} for {v} in small firms
        it takes care of {v} so that you do not have to
        many teams rely on it for {v} every day
        in tasks such as {v} it beats older models
        let {s} do {v} for you
        what is it good for? {v}
        {s} was trained with a view to {v}
        you can put it to work on {v}
        we see its main use in {v}
        our customers employ it mostly for {v}
        its strong points are {v}
        {s} makes light work of {v}
        apply it to tasks like {v}
        we had people in mind who do {v}
        {s} is the right tool for {v}
    """,
            """
        {s} is meant for {v}
        it can be used for {v}
        we made it for {v}
    """,
        ),
        field(
            "release",
            values.date,
            "Release date | Date of release | When was it released",
            "release date | date of release",
            """
        it was released on {v}
        it came out on {v}
        it has been out since {v}
        we released it on {v}
        it appeared on {v}
        on {v} it was published
        it became available on {v}
        the launch was on {v}
        {v} saw its release
        ...
        {v} was the day it went public
        {v} is when the weights were put online
        {v} marks the day of its launch
        {v} was release day for {s}
        {v} brought the first public version
        {v} is the date on which {s} was made public
        {v} came, and with it the release
        {v} will be remembered as its launch day
        {v} - on that day {s} was launched
        {v} was the first day anyone could download it
        since {v} anyone has been able to download it
        on {v} the weights went online
        the world first saw {s} on {v} at a conference
        until {v} it was kept inside the lab
        we went public with it on {v} after long tests
        mark {v} as the day {s} arrived
        as of {v} it is open to everyone
        we waited until {v} to let it out
        from {v} onwards, {s} could be used by all
        launched on {v}, it quickly found its users
        when was it released? {v}
        the weights could first be downloaded on {v}
        its first day in the open was {v}
        the team unveiled {s} on {v}
        we let {s} go live on {v}
        it first saw the light of day on {v}
        launch day: {v}
        {s} has been on offer since {v}
        the public got hold of it on {v}
        the lab opened its doors to users on {v}
    """,
            """
        {s} came out on {v}
        on {v} we released it
        it was published on {v}
    """,
        ),
        WEBSITE,
        CONTACT,
    ),
)

INVOICE = Kind(
    "invoice",
    ("it", "the bill", "this invoice", "the order"),
    (
        "Invoice",
        "Thank you for your order.",
        "This is your bill.",
        "Dear customer,",
        "Please find your invoice below.",
        "Here is the bill for your last order.",
    ),
    (
        field(
            "number",
            values.code,
            "Invoice number | Invoice no | Number of the invoice | Bill number",
            "invoice number | bill number | number",
            """
        this is invoice {v}
        invoice {v} is attached
        please quote {v} when you pay
        we filed it as {v}
        the bill carries the number {v}
        it was entered as {v} in our books
        this bill is numbered {v}
        refer to {v} in all letters
        bill {v} is below
        it has been given the number {v}
        ...
        {v} is printed at the top of the bill
        {v} is the number under which we filed {s}
        {v} identifies this bill
        {v} is the reference for your payment
        {v} should be written on your transfer
        {v} is the number to quote if you call
        {v} is what {s} is called in our books
        {v} - write that number on your payment
        {v} is the reference you will find on {s}
        {v} helps us find your invoice again
        put {v} as reference on your transfer
        invoice number {v} has not been paid yet
        we sent you bill number {v} last week
        have {v} ready if you call about {s}
        under {v} you will find this bill in our system
        without the number {v} we cannot match your payment
        our reference {v} should appear on every payment
        quote invoice {v} in your mail
        we have entered {s} as number {v} in the ledger
        use {v} as reference so that we can find {s}
        which invoice is it? {v}
        in our system {s} goes by {v}
        your reference for this bill: {v}
        {s} carries the reference {v}
        the top right corner of {s} reads {v}
        when you write to us, kindly mention invoice {v}
        this letter concerns invoice {v}
        {s} can be looked up under {v}
        we are writing about invoice no. {v}
        our files list {s} under the number {v}
    """,
            """
        please refer to {v} when you pay
        bill {v} is attached
        the invoice is numbered {v}
    """,
        ),
        field(
            "seller",
            values.company,
            "Seller | Vendor | Who sent the invoice | Supplier",
            "seller | vendor | supplier",
            """
        it was sent by {v}
        the goods were sold by {v}
        {v} delivered the goods
        {v} sent this bill
        you bought from {v}
        {v} thanks you for your order
        the goods come from {v}
        {v} is the seller
        your order was shipped by {v}
        it was issued by {v}
        ...
        {v} sold you the goods
        {v} asks you for payment
        {v} supplied what you see on {s}
        {v} is owed the money
        {v} wrote out this invoice
        {v} looks forward to your next order
        {v} packed and sent what you asked for
        {v} was the shop that took your order
        {v} would like to thank you for your trust
        {v} will be glad to receive your payment
        we at {v} are glad that you bought from us
        you placed your order with {v} and we thank you
        payment goes to {v} and no one else
        your purchase from {v} is listed below
        the warehouse of {v} sent out your goods
        thank you for choosing {v} as your shop
        please make the money over to {v} as agreed
        as your supplier, {v} sends you this bill
        on behalf of {v} we send you {s}
        we, {v}, hereby bill you
        who sold the goods? {v}
        the supplier behind {s} is {v}
        your goods left the store of {v}
        please pay the money to {v}
        you have shopped with {v}
        many thanks from all of us at {v}
        you were served by {v}
        {s} reaches you from {v}
        sold and delivered by {v}
        the letterhead on {s} shows {v}
    """,
            """
        you bought the goods from {v}
        {v} shipped your order
        the bill was sent by {v}
    """,
        ),
        field(
            "customer",
            values.person,
            "Customer | Buyer | Client | Bill to",
            "customer | buyer | client",
            """
        it is addressed to {v}
        it is billed to {v}
        {v} ordered the goods
        the goods go to {v}
        {v} placed the order
        bill to {v}
        we deliver to {v}
        {v} has to pay it
        it was ordered by {v}
        {v} bought the goods
        ...
        {v} is the person who will pay
        {v} received the goods
        {v} owes the money
        {v} asked us to send the goods
        {v} is the name on the order
        {v} signed for the parcel
        {v} bought from us and now gets {s}
        {v} made this purchase
        {v} is our customer for {s}
        {v} should settle {s} in time
        we ask {v} to pay for the goods
        dear {v}, here is your bill
        we thank {v} for the order
        the parcel was handed to {v} at the door
        please pass {s} on to {v} for payment
        as {v} made the purchase, the bill goes there
        we have billed {v} for this order
        when {v} called to order, we had it in stock
        the account of {v} will be charged
        we mailed {s} to {v} as the buyer
        who is the buyer? {v}
        the receipt will be written for {v}
        our client in this matter is {v}
        the address label shows {v}
        payment will come from {v}
        {s} is charged to {v}
        for the attention of {v}
        sold to {v}
        we took this order from {v}
        the one who has to settle {s} is {v}
    """,
            """
        the order was placed by {v}
        {v} is to pay it
        this bill is addressed to {v}
    """,
        ),
        field(
            "total",
            values.money,
            "Total | Total amount | Amount due | Sum",
            "total | total amount | amount due | sum",
            """
        please pay {v}
        the sum comes to {v}
        it all adds up to {v}
        you owe us {v}
        in total we ask for {v}
        {v} is to be paid
        altogether that makes {v}
        we charge {v} in total
        it amounts to {v}
        a sum of {v} is due
        ...
        {v} is what you have to pay
        {v} is the full amount, tax included
        {v} is still open
        {v} covers everything on {s}
        {v} will be charged to your account
        {v} has to be transferred to us
        {v} is the bottom line
        {v} is the price of all goods together
        {v} is needed to clear your account
        {v} - no more and no less is what you owe
        we ask you to send {v} to our account
        once you have paid {v}, the goods are yours
        with tax included, {v} is payable
        please transfer {v} to our bank
        there is {v} left to pay for this order
        kindly settle the sum of {v} in one payment
        a payment of {v} will clear {s}
        we have charged {v} to your card
        all items together cost {v} with tax
        your debt of {v} is now open
        how much do you owe? {v}
        the bottom line of {s} shows {v}
        tax and shipping bring {s} to {v}
        your bill runs to {v}
        the full price of {s} is {v}
        goods plus tax make {v}
        the balance to be settled is {v}
        {s} calls for a payment of {v}
        for all of this you pay {v}
        to pay: {v}
    """,
            """
        in total that makes {v}
        you owe {v} altogether
        a total of {v} is to be paid
    """,
        ),
        field(
            "due",
            values.date,
            "Due date | Payment due | Pay by | Deadline for payment",
            "due date | payment deadline | deadline",
            """
        please pay by {v}
        it must be paid before {v}
        payment is due on {v}
        we expect your payment by {v}
        pay no later than {v}
        it falls due on {v}
        the money should reach us by {v}
        you have until {v} to pay
        it has to be settled by {v}
        ...
        {v} is the last day to pay
        {v} is when your payment falls due
        {v} is as late as you may pay
        {v} is the day by which we need the money
        {v} ends the time you have to pay
        {v} is the latest date for your transfer
        {v} must not pass before you pay
        {v} is when we stop waiting for the money
        {v} at the latest is when {s} should be paid
        {v} - after that we charge interest
        if you pay before {v}, no fee is added
        after {v} we will have to send a reminder
        we give you until {v} to settle {s}
        transfer the money by {v} to avoid a fee
        a late fee is added if {v} passes without payment
        we will wait until {v} for your money
        make sure to pay by {v} or we charge interest
        do not let {v} go by without paying {s}
        should you pay after {v}, we add five percent
        the time limit of {v} for payment should be kept
        when do I have to pay? {v}
        the last day for payment is {v}
        please transfer the amount before {v}
        your payment should arrive not later than {v}
        time to pay {s} runs out on {v}
        {s} becomes overdue after {v}
        no fee is charged for payments up to {v}
        the term for payment ends on {v}
        {s} is open for payment until {v}
        we look forward to your transfer by {v}
    """,
            """
        payment must reach us by {v}
        it is due on {v}
        please settle it before {v}
    """,
        ),
        field(
            "issued",
            values.date,
            "Invoice date | Date of issue | Issued on",
            "invoice date | date of issue | issue date",
            """
        it was issued on {v}
        it was written on {v}
        we made out this bill on {v}
        dated {v}, it covers one order
        it is dated {v}
        we issued it on {v}
        it was drawn up on {v}
        it bears the date {v}
        ...
        {v} is the day on which we wrote this bill
        {v} was when {s} left our office
        {v} is the date printed at the top of the bill
        {v} is when we billed you
        {v} saw this invoice drawn up by our clerk
        {v}: on this day we wrote up your invoice
        {v} appears on the bill as the day of issue
        {v} (the day of billing) is what we put on it
        {v} was the day our office printed {s}
        {v} counts as the invoice date for tax
        we sat down on {v} to write {s} for you
        our office stamped {v} on the bill as its date
        the bill was prepared on {v} for your records
        we billed the order on {v} and sent it at once
        issued {v}, {s} replaces our earlier bill
        on {v} we wrote you this bill
        your invoice went out on {v} with the morning post
        {s} was created on {v} by our accounts team
        the date of billing, {v}, counts for your tax year
        as we billed you on {v}, look under that day
        when was it issued? {v}
        day of issue, as printed above: {v}
        our clerk signed and dated the invoice {v}
        we put your bill in the post on {v}
        {s} was generated by our system on {v}
        the top of the page says it was written {v}
        you were billed for this order on {v}
        {s} got its date stamp on {v}
        the day we drew up the bill was {v}
        our books show that {s} was raised on {v}
    """,
            """
        the bill is dated {v}
        on {v} it was issued
        it was made out on {v}
    """,
        ),
        field(
            "method",
            values.several(values.words("card cash cheque transfer PayPal voucher credit instalments debit bitcoin")),
            "Payment method | How to pay | Ways to pay",
            "payment method | means of payment | way to pay",
            """
        you can pay by {v}
        we accept {v}
        pay with {v}
        payment is possible by {v}
        we take {v}
        it may be settled by {v}
        {v} are all accepted
        choose between {v} to pay
        ...
        {v} will do nicely for payment
        {v} is how you can pay us
        {v} can be used to settle {s}
        {v} - that is how we take your money
        {v}: pick whichever way to pay suits you
        {v} would be the easiest way to pay us
        {v} is fine by us when you pay
        {v} (the ways to pay) cost you nothing extra
        {v} should be used to send us the money
        {v} is the way our customers usually pay
        use {v} to clear {s} with us
        send us the money by {v} if you please
        if you pay by {v} we will confirm it
        our payment desk handles {v} for all orders
        we let you pay through {v} at no extra charge
        please choose {v} as your way to pay
        nothing but {v} can be used to pay for {s}
        {s} may be paid off by {v} as you like
        our till takes {v} but nothing else
        you have the choice of {v} when paying
        {s} lets you pay using {v} without a fee
        how can you pay? by {v}
        ways to settle {s}: {v}
        kindly make your payment by {v}
        the amount can be settled using {v}
        our shop works with {v}
        payments come to us via {v}
        we are happy to be paid by {v}
        customers are free to pay using {v}
        for payment {s} supports {v}
    """,
            """
        we accept payment by {v}
        you may pay with {v}
        it can be paid by {v}
    """,
        ),
        field(
            "item",
            values.thing,
            "Item | Goods | What was bought | Article",
            "item | article | goods",
            """
        you ordered {v}
        it covers {v}
        we delivered {v}
        it is for {v}
        you bought {v}
        the order was for {v}
        we sent you {v}
        it bills you for {v}
        {v} were delivered
        ...
        {v} went out to you in one parcel
        {v} is what you bought from us
        {v} makes up the whole of {s}
        {v} left our store for your address
        {v} can be found in your parcel
        {v} is the article that we bill here
        {v} - that is what you had from us
        {v} is what {s} was made out for
        {v} will be yours once this is paid
        {v} came to you from our shop
        your basket held {v} when you placed the order
        we have packed {v} for you
        you asked us for {v} and we sent it out
        {s} charges you for {v} as delivered
        the parcel with {v} is on its way
        we hope you enjoy {v} from our shop
        you chose {v} from our list
        the goods, {v}, are in your hands now
        as you bought {v}, we send this bill
        the purchase of {v} is billed here
        our driver brought {v} to your door
        what did you buy? {v}
        goods listed on {s}: {v}
        the box that came to you held {v}
        thank you for buying {v}
        the only thing on {s} is {v}
        goods supplied under {s}: {v}
        from our shop you took {v}
        our store handed over {v}
        {s} lists the purchase of {v}
    """,
            """
        you were sent {v}
        the bill is for {v}
        we shipped {v}
    """,
        ),
        CONTACT,
        PHONE,
    ),
)

JOB = Kind(
    "job",
    ("it", "the job", "this position", "the post"),
    (
        "We are hiring!",
        "Join our team.",
        "A job is open.",
        "Come and work with us.",
        "We are looking for new people.",
        "Are you looking for a new challenge?",
    ),
    (
        field(
            "role",
            values.role,
            "Position | Job title | Role | Job",
            "position | job title | role",
            """
        we are looking for a {v}
        we want to hire a {v}
        we need a {v}
        you will work as a {v}
        join us as a {v}
        we seek a {v}
        the job is that of a {v}
        apply to become a {v}
        we offer work to a {v}
        a {v} is wanted
        you start as {v}
        ...
        {v} is the title that goes with {s}
        {v} is what it will say on your card
        {v} wanted
        {v} is what {s} would make you
        {v} is what we call the role
        {v} - that could be you
        {v} (full or part time) wanted for our team
        {v}: this is the post we must fill
        {v} may be your next job
        {v} is the role you would take on
        could you be the {v} that we need
        we want one {v} to join us
        our team needs another {v} for new projects
        you would be our {v} from the start
        {s} is for one {v} to fill
        working as {v} with us is fun
        if you are an experienced {v}, write to us
        your career as {v} can begin here
        the role of {v} has become free
        every good {v} should apply
        our last {v} has left us, so we hire again
        what is the job? {v}
        in {s} your title will be {v}
        we wish to fill the post of {v}
        {s} would make you our new {v}
        now hiring: {v}
        {s} is open to any trained {v}
        we would like to employ you as {v}
        our office is missing one {v}
        {s} puts you to work as our {v}
    """,
            """
        we are hiring a {v}
        come and work as a {v}
        a {v} is needed
        we look for a {v}
    """,
        ),
        field(
            "employer",
            values.company,
            "Company | Employer | Organisation",
            "company | employer",
            """
        {v} is hiring
        you will work for {v}
        the job is at {v}
        {v} offers this job
        come and join {v}
        become part of {v}
        {v} is looking for people
        it was posted by {v}
        at {v} you will feel at home
        {v} has an opening
        ...
        {v} will be your employer
        {v} has a job for you
        {v} wants you on its team
        {v} pays your wages
        {v} invites you to apply
        {v} needs more staff
        {v} has put {s} online
        {v} is growing and takes on new staff
        {v} - that is the firm behind {s}
        {v} (the firm) will sign your contract
        {v} would be glad to employ you
        we at {v} want to grow
        a career with {v} is what we offer
        the people at {v} are looking forward to you
        {s} comes with a contract from {v} as employer
        working for {v} is a pleasure
        the staff of {v} would welcome you
        as part of {v} you will grow
        think of {v} as your next employer
        when {v} hires, it hires for life
        our company, {v}, has been hiring all year
        you would be on the books of {v} for good
        who is the employer? {v}
        {s} was advertised by {v}
        the firm that hires you is {v}
        we are a firm called {v}
        be one of the many who work for {v}
        {s} is with a firm by the name of {v}
        with {s} you start your career at the firm {v}
        {s} makes you a member of staff at {v}
    """,
            """
        join {v}
        {v} is looking to hire
        the post is at {v}
    """,
        ),
        field(
            "place",
            values.place,
            "Location | Place of work | Where is the job | City",
            "location | place of work | city",
            """
        you will be based in {v}
        it is located in {v}
        our office is in {v}
        the work is done in {v}
        you will work in {v}
        we sit in {v}
        you should live near {v}
        it is in {v}
        come to {v}
        our building stands in {v}
        ...
        {v} is where {s} takes you to work
        {v} is home to our office
        {v} is the town we work in
        {v} will be your place of work
        {v} is the city where your desk is
        {v} has been our base for years
        {v} is where the team meets every day
        {v} - that is where we work
        {v} (on site) is where you are needed
        {v} may well be your new home town
        move to {v} for {s} and stay
        you come to {v} every day to work
        the office in {v} is waiting for you
        our team in {v} needs you
        living close to {v} would help you
        your desk in {v} is ready for you
        {s} takes you to {v} each day
        our rooms in {v} are easy to reach
        we have moved to {v} with the whole office
        candidates from {v} or nearby are welcome
        our branch in {v} has a free desk
        where is the job? in {v}
        your workplace will be in {v}
        {s} is on site in {v}
        {s} can only be done in {v}
        we run our office out of {v}
        the team sits together in {v}
        the office for {s} is in {v}
        we want people who live around {v}
        {s} may mean a move to {v}
    """,
            """
        our office stands in {v}
        {s} is based in {v}
        you work from {v}
    """,
        ),
        field(
            "salary",
            values.money,
            "Salary | Pay | How much is paid | Wage",
            "salary | pay | wage",
            """
        we pay {v}
        you earn {v}
        it pays {v}
        you will be paid {v}
        we offer {v} a year
        you can expect to earn {v}
        {v} is paid each month
        it is paid at {v}
        you get {v} for it
        we reward you with {v}
        ...
        {v} is what you take home
        {v} is the wage for {s}
        {v} goes into your account every month
        {v} will be your pay
        {v} is what your work is worth to us
        {v} before tax is your salary
        {v} can be earned in {s}
        {v} - that is the pay
        {v} (gross) is what we pay you
        {v} lands in your bank account as wages
        your wage of {v} is paid on time
        we have set aside {v} for your salary
        your work is paid for with {v} each month
        with {v} as pay, you will live well
        a salary of {v} goes with it
        expect {v} as your wage
        earnings of {v} are usual in this role
        we think {v} is fair pay
        your pay packet holds {v} before tax
        {s} brings you {v} in wages
        we transfer {v} to you each month
        what does it pay? {v}
        the pay is fixed at {v}
        {s} comes with a wage of {v}
        {s} is rewarded with {v}
        your monthly pay comes to {v}
        as a salary we propose {v}
        those who do {s} earn {v}
        at the end of the month you get {v}
        {s} would give you a yearly income of {v}
    """,
            """
        you will earn {v}
        {s} pays {v}
        we offer to pay {v}
    """,
        ),
        field(
            "deadline",
            values.date,
            "Application deadline | Deadline | Apply by | Closing date",
            "deadline | closing date | application deadline",
            """
        apply by {v}
        send us your papers before {v}
        we accept letters until {v}
        applications close on {v}
        you can apply until {v}
        do not apply after {v}
        your letter should arrive by {v}
        it closes on {v}
        we read all letters that come before {v}
        ...
        {v} is the last day to apply for {s}
        {v} is when applications close
        {v} is the final date for your letter
        {v} is the day we stop taking applications
        {v} marks the end of the application period
        {v} must not pass before you apply
        {v} is the cut-off for applying to {s}
        {v} - apply by then or not at all
        {v} (the last day) is when your papers must be here
        {v} at the latest is when we need your application
        hand in your application by {v} at the latest
        send your CV before {v} to be considered
        we must have your papers by {v} or earlier
        anything that comes in after {v} is not read
        applications that reach us by {v} are read first
        the call for applications ends on {v} at noon
        get your letter to us before {v} if you want {s}
        after {v} we take no more applications
        candidates who write after {v} are too late
        please submit your CV by {v} so we can read it
        up to {v} you can send us your papers
        how long can you apply? until {v}
        we stop reading new letters on {v}
        your CV has to be here by {v}
        {s} can be applied for until {v}
        the list of candidates for {s} shuts on {v}
        make sure that your application arrives before {v}
        the time to apply runs out on {v}
        {s} takes no more applicants after {v}
        to be in the race for {s}, write before {v}
    """,
            """
        you should apply before {v}
        letters are accepted until {v}
        {s} closes on {v}
    """,
        ),
        field(
            "start",
            values.date,
            "Start date | Starting date | When does it start",
            "start date | starting date | first day",
            """
        you start on {v}
        work begins on {v}
        it starts on {v}
        we want you to begin on {v}
        your first day is {v}
        you would join us on {v}
        it is open from {v} on
        from {v} you will be one of us
        ...
        {v} is your first day at work
        {v} is when you would join the team
        {v} will see you at your new desk
        {v} is when the contract takes effect
        {v} would be a good day to start {s}
        {v} will be your first morning with us
        {v} - that is when you begin here
        {v} (or earlier) is when we want you at work
        {v} is the day on which {s} begins for you
        {v} marks the beginning of your time with us
        from {v} on you work with us
        {s} needs you at your desk from {v} on
        be ready on {v} to begin
        your contract runs from {v} and has no end
        as of {v} you belong to the team
        on {v} we will show you your desk
        you should be free to start {s} on {v} or before
        we welcome you on {v} as a new colleague
        come in on {v} for your first shift
        starting {v}, you are on our payroll
        we picked {v} as the day you join
        when do you start? on {v}
        your first working day falls on {v}
        {s} is to be filled from {v}
        {s} will have you at work from {v}
        you take up your duties on {v}
        the contract begins on {v}
        we will be waiting to show you around on {v}
        you sit at your desk for the first time on {v}
        {s} has its first shift on {v}
    """,
            """
        you begin on {v}
        {s} starts on {v}
        your work starts on {v}
    """,
        ),
        field(
            "skills",
            values.several(values.SKILLS),
            "Skills | Required skills | Requirements | What must one know",
            "required skills | skills | requirements",
            """
        you know {v}
        you have experience in {v}
        you are good at {v}
        we expect you to know {v}
        you bring skills in {v}
        you must master {v}
        you should have learned {v}
        knowledge of {v} is needed
        we ask for {v}
        you are at home in {v}
        ...
        {v} should be familiar to you
        {v} must be among your strengths
        {v} is what we want you to know
        {v} will help you get {s}
        {v} is what you need to be good at
        {v} should be on your CV
        {v} must not be new to you
        {v} - you must be able to do that
        {v} (a must) should come easily to you
        {v} matters most in {s}
        we want people who know {v} well
        your training in {v} is important to us
        {s} needs someone who has used {v} in their work
        a good grasp of {v} is required
        some years of {v} behind you would be ideal
        those who know {v} are welcome
        without {v} you will not get far in {s}
        if you can show {v} on your CV, apply
        we test {v} when we meet you
        being strong in {v} is a must
        if {v} is your thing, you are the one
        what must you know? {v}
        you feel confident with {v}
        {s} calls for good knowledge of {v}
        {s} is only for people trained in {v}
        your strong points are {v}
        we would like to see proof of {v}
        our ideal candidate has a talent for {v}
        you have a solid command of {v}
        to do {s} well one must understand {v}
    """,
            """
        you have learned {v}
        we expect skills in {v}
        experience in {v} is needed
    """,
        ),
        field(
            "hours",
            values.measure("hours a week", "hours a month", "hours"),
            "Working hours | Hours | Hours per week",
            "working hours | hours | working time",
            """
        you work {v}
        it takes {v}
        we ask for {v} of your time
        the week has {v}
        it is a job of {v}
        you will be working {v}
        plan for {v}
        it is done in {v}
        ...
        {v} is the time you spend at work
        {v} is what the contract asks you to work
        {v} will be your working time in {s}
        {v} is a full load in {s}
        {v} is how long you work
        {v} on duty is all we ask
        {v} must be worked in this role
        {v} - that is how much you work
        {v} (no more) is what you work
        {v} at your desk is the rule
        we expect {v} from you
        you spend {v} at work
        your shifts add up to {v} in all
        you give us {v} and keep the rest for yourself
        the contract covers {v} of work
        be ready to put in {v} for us
        a workload of {v} awaits you
        working {v} is the norm here
        nobody here works more than {v} as a rule
        {s} fills {v} of your life
        you sign up for {v} when you join
        how long do you work? {v}
        the working time is fixed at {v}
        {s} means being on shift for {v}
        {s} keeps you busy for {v}
        {s} is limited to {v}
        the contract says that you work {v}
        staff here are on duty for {v}
        your time sheet will show {v}
        our plan has you at work for {v}
    """,
            """
        you will work {v}
        {s} takes {v}
        it asks for {v} of your time
    """,
        ),
        CONTACT,
        PHONE,
        WEBSITE,
    ),
)

PAPER = Kind(
    "paper",
    ("it", "the method", "this paper", "the study"),
    (
        "Abstract.",
        "In this paper we study an old problem.",
        "We report new results.",
        "This work is about methods.",
        "A new study has appeared.",
        "Few problems have been studied more.",
    ),
    (
        field(
            "paper",
            values.title,
            "Method | Name of the method | Proposed method | Approach",
            "method | approach | proposed method",
            """
        we propose {v}
        we present {v}, a new method
        our method is called {v}
        we call our approach {v}
        this paper introduces {v}
        we describe {v}
        we develop {v}
        here we propose {v}
        {v} is a new approach
        our approach, {v}, is simple
        we name it {v}
        this work presents {v}
        ...
        {v} is the name that we gave our algorithm
        {v} is what we call our technique in the text
        {v}, the technique of this study, works without labels
        {v} is put forward as a better way to do this
        {v} is the algorithm behind these results
        {v} solves the problem in a single step
        {v} beats all earlier methods
        {v}, our own solution, is both fast and easy to build
        {v} was designed with this problem in mind
        {v} for short: so we refer to the algorithm
        with {v} we offer a better way to solve it
        the algorithm, {v} for short, needs little memory
        we compare {v} with the older methods
        how {v} works is explained in the second part
        the idea behind {v} is easy to state
        unlike older techniques, {v} needs no tuning
        we built {v} to solve exactly this problem
        let us call the technique {v} from here on
        {s} brings {v} as a fresh way to look at the problem
        {s} explains how {v} works and when it fails
        to solve this we came up with {v}
        our answer to the problem is {v}
        {s} puts forward an algorithm named {v}
        what do we suggest instead? {v}
        our main contribution: {v}
        as a remedy we suggest {v}
        {s} is all about a technique known as {v}
        from now on our solution will be referred to as {v}
        {s} goes by the name {v}
        readers get to know a technique that bears the name {v}
    """,
            """
        we introduce {v}, a new approach
        here we present {v}
        the new method is called {v}
    """,
        ),
        field(
            "authors",
            values.people,
            "Authors | Author | Who wrote it | Written by",
            "authors | writers",
            """
        it was written by {v}
        the work was done by {v}
        {v} wrote it
        it is the work of {v}
        {v} are the authors
        by {v}
        {v} did the research
        {v} report on it
        it is signed by {v}
        ...
        {v} put their names to {s}
        {v} share the credit for {s}
        {v} are the people behind the study
        {v} spent two years on writing {s}
        {v} ran the experiments and wrote them up
        {v} claim to have solved an old problem
        {v} argue that the old view was wrong
        {v} joined forces to write the text
        {v} ask why so few have tried this before
        {v} have signed as authors
        in {s}, {v} look at an old question
        the manuscript by {v} is short and clear
        we, {v}, declare no conflict of interest
        when {v} began to write it, little was known
        all credit goes to {v} for the study
        as {v} show, the problem can be solved
        it took {v} three years to write it all down
        the byline gives {v} as the writers
        anyone who knows {v} will want to read {s}
        after years of study, {v} have written down what they know
        who is behind the study? {v}
        {s} carries the names of {v}
        praise or blame for the text should go to {v}
        the pen was held by {v}
        it has more than one author: {v}
        we owe {s} to the researchers {v}
        when you cite it, name {v}
        {s} came from the pens of {v}
        on the title page stand the names of {v}
        responsible for the text: {v}
    """,
            """
        the paper was written by {v}
        {v} did the work
        the research is by {v}
    """,
        ),
        field(
            "dataset",
            values.proper,
            "Dataset | Data set | Benchmark | Data",
            "dataset | data set | benchmark",
            """
        we test it on {v}
        it was evaluated on {v}
        we use the {v} dataset
        experiments are run on {v}
        we measure it on {v}
        we train on {v}
        our tests use the {v} data
        results are given for {v}
        the {v} benchmark is used
        we work with the {v} corpus
        ...
        {v} is the benchmark that we chose
        {v} serves as our test set
        {v} was used for training and testing
        {v}, a public collection of data, is used throughout
        {v} supplied the examples for training
        {v} is the only data that we needed
        {v} gave us all the data for the tests
        {v} was split into a training half and a test half
        {v} is the corpus behind all our numbers
        {v} provides the test questions for {s}
        on {v} as a test set we compare {s} with older work
        the data, taken from {v}, is open to all
        all models were trained on {v} and then compared
        we drew our examples from {v} and cleaned them
        the images in {v} were used as test data
        the labels of {v} are used to judge the answers
        one half of {v} was kept for testing
        we downloaded {v} and used it as training data
        tested against {v} as a benchmark, {s} does better than the rest
        the test split of {v} was never seen in training
        as test data we picked {v}
        the training examples are from {v}
        all numbers refer to the benchmark {v}
        {s} was put to the test on {v}
        which data did we use? {v}
        for training and testing: {v}
        {s} learns from the examples in {v}
        the evaluation makes use of a data collection called {v}
        every run draws on the public corpus {v}
        {s} takes its data from {v}
    """,
            """
        we evaluate on the {v} benchmark
        our experiments use {v}
        tests are run on the {v} data
    """,
        ),
        field(
            "accuracy",
            values.percent,
            "Accuracy | Score | Result | How accurate is it",
            "accuracy | score | result",
            """
        it reaches {v}
        it gets {v} right
        it scores {v}
        we reach {v}
        it achieves {v}
        we measure {v}
        it is right in {v} of all cases
        {v} of the answers are right
        we obtain {v}
        it attains {v}
        ...
        {v} is the score that we report
        {v} of the test questions were answered correctly
        {v} accuracy is more than anyone had before
        {v} of its predictions turn out to be true
        {v} correct is the best result so far
        {v} was the share of correct answers
        {v} on the test set is a new record
        {v} is how often {s} gets it right
        {v} of the labels were predicted correctly
        {v} accuracy was measured on unseen data
        with {v} correct answers, {s} beats all others
        an accuracy of {v} was reached in the last run
        a score of {v} puts {s} ahead of the rest
        we got {v} of the test items right
        the result, {v}, is better than we hoped
        our best run came to {v} on the test set
        we raise the score to {v} and so beat the old record
        {s} solves {v} of the problems without a mistake
        it predicts the right answer {v} of the time
        if {v} is correct, that leaves few mistakes
        the share of correct answers rose to {v}
        its accuracy climbs to {v}
        {s} hits an accuracy of {v}
        how often is it correct? {v}
        performance on unseen data: {v}
        the final test gave a score of {v}
        averaged over five runs, the accuracy was {v}
        {s} answers correctly with a rate of {v}
        {s} sets a new record with {v}
        accuracy went up from a low start to {v}
    """,
            """
        {s} achieves {v}
        {v} of all cases are right
        we score {v}
    """,
        ),
        field(
            "venue",
            values.title,
            "Conference | Journal | Venue | Published in",
            "conference | journal | venue",
            """
        it appeared in {v}
        it will appear at {v}
        it was published in {v}
        we presented it at {v}
        it was accepted at {v}
        it can be read in {v}
        {v} has accepted it
        {v} published it
        it was shown at {v}
        ...
        {v} is the journal that printed it
        {v} will print {s} in the spring
        {v} took {s} after two rounds of review
        {v} is the conference where we gave the talk
        {v}, a journal with strict reviewers, let it pass
        {v} has it in the current issue
        {v} gave it a place in the main track
        {v} chose it for a talk
        {v} carries the full text in its next issue
        {v} is where it will be published
        the editors of {v} let it through without changes
        the reviewers for {v} asked for small changes
        we sent it to {v} and the editors took it
        look for {s} in {v} under original articles
        in the pages of {v} you can read {s}
        our talk at {v} was well received
        the journal {v} has agreed to print {s}
        we will give a talk at {v} on these results
        {s} won the best paper award at {v} this year
        a short version was read at {v} before a large audience
        {s} has found its way into the journal {v}
        the full text is printed in {v}
        {s} was selected for the programme of {v}
        where was it published? {v}
        to appear in {v}
        first printed in the proceedings of {v}
        we submitted our article to {v}
        {s} came out in the latest issue of {v}
        our poster will hang at {v}
        come and hear us talk about it at {v}
    """,
            """
        it was presented at {v}
        {s} appeared at {v}
        {v} accepted it
    """,
        ),
        field(
            "university",
            values.company,
            "Institution | University | Affiliation",
            "institution | university | affiliation",
            """
        the authors work at {v}
        it was done at {v}
        the research was carried out at {v}
        it comes from {v}
        the group is at {v}
        {v} is where it was done
        the work was done at {v}
        the team belongs to {v}
        ...
        {v} employs all of the authors
        {v} is home to the research group
        {v} is the institute behind {s}
        {v} has a group that works on this problem
        {v} is where all of us teach
        {v} and its researchers led the project
        {v} is named on the title page as our institution
        {v} runs the lab in which it was done
        {v} was the host of the project
        {v} counts the authors among its staff
        at {v} we have studied this for years
        a group at {v} came up with {s}
        researchers from {v} are behind {s}
        the lab at {v} is known for such work
        the authors, who teach at {v}, began in the spring
        our department at {v} led the study
        scientists at {v} have found a better way
        as staff of {v} we declare no other interests
        two professors at {v} started the project
        the campus of {v} was the site of the study
        all authors are affiliated with {v}
        {s} was developed in a lab at {v}
        we are a research group based at {v}
        affiliation of the authors: {v}
        where do the authors work? {v}
        {s} is the result of research inside {v}
        our academic home is {v}
        the authors hold posts at {v}
        {s} began as a student project at {v}
        the lab is part of {v}
    """,
            """
        the team works at {v}
        it was carried out at {v}
        the authors belong to {v}
    """,
        ),
        field(
            "samples",
            values.number,
            "Number of samples | Sample size | Number of participants",
            "number of samples | sample size | number of participants",
            """
        we use {v} samples
        {v} people took part
        it rests on {v} samples
        we asked {v} people
        {v} examples were collected
        there were {v} participants
        we looked at {v} cases
        data from {v} people were used
        ...
        {v} volunteers filled in the form
        {v} patients were seen over two years
        {v} subjects agreed to take part
        {v} is the size of our sample
        {v} records went into the analysis
        {v} persons in all were tested
        {v} responses came back and were counted
        {v} students joined the study
        {v} measurements form the basis of {s}
        {v} entries remained once the bad ones were gone
        a total of {v} people answered our questions
        with {v} participants the study is a large one
        in all, {v} adults were invited and tested
        the answers of {v} people went into {s}
        our group of {v} persons is large enough
        we followed {v} patients from birth to school
        {s} draws on {v} interviews with people of all ages
        we signed up {v} volunteers for {s}
        some {v} children were observed at play
        {s} is built on {v} data points from the field
        the sample size came to {v}
        we counted the participants and got to {v}
        how many people took part? {v}
        number of subjects in the study: {v}
        the sample was large, with n = {v}
        the group of participants grew to {v}
        the number of test persons was {v}
        participants in {s} numbered {v}
        {s} has a sample size of {v}
        we closed the survey when the answers reached {v}
    """,
            """
        {v} samples were collected
        we looked at {v} people
        there were {v} cases
    """,
        ),
        field(
            "funding",
            values.company,
            "Funding | Funded by | Sponsor",
            "funding | sponsor | funder",
            """
        it was funded by {v}
        {v} paid for it
        we thank {v} for the money
        it was supported by {v}
        the money came from {v}
        {v} supported the work
        a grant from {v} made it possible
        we received a grant from {v}
        ...
        {v} gave the money for the study
        {v} bore the costs of the work
        {v} was kind enough to pay for {s}
        {v} provided the funds for {s}
        {v} is the sponsor to whom we owe our thanks
        {v} financed the project for three years
        {v} paid our wages while we worked on this
        {v} covered all costs but had no say in it
        {v} awarded us a research grant
        {v} put up the money
        thanks to money from {v} we could finish {s}
        without funds from {v} the study could not have been done
        the sponsor, {v}, had no say in the results
        we are grateful to {v} for financial support
        with the financial help of {v} we could hire two people
        a gift from {v} covered the costs
        we asked {v} to pay for the study and they did
        the costs were met by {v} in full
        {s} was sponsored by {v} from the start
        because {v} paid the bills, we could do {s}
        our sponsor is {v}
        {s} owes its funding to {v}
        financial support: {v}
        who paid for the research? {v}
        we acknowledge funding by {v}
        the project was financed by {v}
        {s} could only be done with money from {v}
        our research budget is provided by {v}
        the research is backed with funds of {v}
        the bills for {s} were sent to {v}
    """,
            """
        {v} funded it
        the work was supported by a grant from {v}
        the grant came from {v}
    """,
        ),
        WEBSITE,
        CONTACT,
    ),
)

EVENT = Kind(
    "event",
    ("it", "the event", "this evening", "the show"),
    (
        "You are invited!",
        "Save the date.",
        "An evening for everyone.",
        "Come and see us.",
        "News from our club.",
        "This year we have something new.",
    ),
    (
        field(
            "event",
            values.title,
            "Event | Event name | Name of the event | Title",
            "event | event name | title",
            """
        we invite you to {v}
        come to {v}
        welcome to {v}
        {v} is back
        we are happy to host {v}
        this year we hold {v}
        we celebrate {v}
        join us at {v}
        the event is called {v}
        {v} takes place again
        do not miss {v}
        ...
        {v} is the name that we gave to our festival
        {v} lights up our town once more
        {v} returns after a long break
        {v} promises to be great fun
        {v} is what we call this evening
        {v} - that is the title of {s}
        {v} comes to town again
        {v} is a festival for young and old
        {v} has become a tradition in our club
        {v}, our yearly party, is just around the corner
        with {v} we open the new season
        if you have been to {v} before, you know the fun
        a festival by the name of {v} is coming up
        bring your friends to {v} for a night of music
        under the title {v} we bring you a night to remember
        thanks to all who make {v} such a success
        posters for {v} are up all over town
        {s}, better known as {v}, is for everyone
        when {v} comes around, the whole town is there
        people look forward to {v} all year
        {s} goes by the name of {v}
        what is on? {v}
        tickets are now on sale for {v}
        the club proudly presents {v}
        get ready for {v}
        the big letters on the poster say {v}
        {s} bears the title {v}
        you may know {s} as {v}
        our big night has a name: {v}
        be part of {v}
    """,
            """
        you are invited to {v}
        we hold {v} again
        the event was named {v}
    """,
        ),
        field(
            "venue",
            values.venue,
            "Venue | Location | Place | Where is it",
            "venue | location | place",
            """
        it takes place at {v}
        it will be held in {v}
        we meet at {v}
        come to the {v}
        you find us in the {v}
        it happens at {v}
        the doors of {v} are open
        {v} is where we meet
        we gather in {v}
        the {v} is our host
        ...
        {v} will open its doors for us
        {v} is the place to be
        {v} gives us a roof for the night
        {v} has been booked for {s}
        {v} is where you should go
        {v} is the building with the stage we need
        {v} was picked because it is easy to reach
        {v} - that is where {s} happens
        {v} lends us its rooms
        {v} has the space that we need
        the stage at {v} has been set up for {s}
        head for {v} and follow the signs
        walk over to {v} and come inside
        the rooms of {v} are ours that night
        we have rented {v} for the evening
        use the main door of {v} and turn left
        once you reach {v}, follow the crowd
        the bus stops right outside {v} for those without a car
        our usual building is closed, so {v} it is
        there is parking behind {v} for all guests
        where is it? {v}
        this time we move to {v}
        {s} finds its home in {v}
        make your way to {v}
        we chose a fine building: {v}
        {s} will be staged at {v}
        the party goes on inside {v}
        the crowd comes together at {v}
        how to find us: look for {v}
        all of {s} is set in {v}
    """,
            """
        we will meet in {v}
        {s} takes place in {v}
        you find it at {v}
    """,
        ),
        field(
            "date",
            values.date,
            "Date | Day | When is it",
            "date | day",
            """
        it takes place on {v}
        we meet on {v}
        it is on {v}
        join us on {v}
        come on {v}
        mark {v} in your calendar
        it will be held on {v}
        it happens on {v}
        keep {v} free
        see you on {v}
        ...
        {v} is the big day
        {v} is when it all happens
        {v} has been fixed for {s}
        {v} is the day to remember
        {v} was chosen so that families can come
        {v} suits most of our members, so that is the day
        {v} should be on your calendar
        {v} is only a few weeks away
        {v} will see the whole town dance
        {v} is the night - write that down
        on {v} the wait is over
        if you have no plans for {v} yet, come along
        we have set {v} for {s}
        leave {v} open for us
        it has to be {v} as the hall is free then
        put {v} down in your diary
        in case you are free on {v}, drop in
        we moved {s} to {v} because of the weather
        on {v} we open our doors to everyone
        let us spend {v} together
        save the date: {v}
        when? {v}
        {s} is planned for {v}
        the day that we agreed on is {v}
        we look forward to meeting you on {v}
        {s} has been put off until {v}
        it is only once a year, namely on {v}
        this year the day of {s} falls on {v}
        the big night comes on {v}
        do not make other plans for {v}
    """,
            """
        {s} is on {v}
        we gather on {v}
        it will be on {v}
    """,
        ),
        field(
            "time",
            values.clock,
            "Time | Starting time | At what time",
            "time | starting time | start",
            """
        it starts at {v}
        doors open at {v}
        we begin at {v}
        be there at {v}
        the first act is at {v}
        it begins at {v}
        come before {v}
        at {v} the lights go out
        it kicks off at {v}
        ...
        {v} is when we let you in
        {v} is the hour at which {s} opens
        {v} is when the music sets in
        {v} sees the curtain go up
        {v} on the clock, and off we go
        {v} marks the start of {s}
        {v} is the time to be in your seat
        {v} is when the first song is played
        {v} may seem early, but {s} is long
        {v} is when the welcome speech is due
        the band plays from {v} until late
        from {v} on the bar is open
        please be seated by {v} so that we can begin
        at {v} the curtain rises
        when the clock shows {v}, {s} gets going
        we ring the bell at {v} and then it starts
        if you come after {v}, you miss the opening
        the first guests are let in at {v} and not before
        things get under way at {v} with some music
        the start ({v}) is the same as last year
        the curtain goes up at {v}
        what time? {v}
        the gong sounds for {s} at {v}
        please take your seats by {v}
        the first words are said at {v}
        the evening gets off the ground at {v}
        start of the show, local time: {v}
        do not be later than {v}
        the lights go down at {v}
        the clock tells you when {s} starts: {v}
    """,
            """
        {s} begins at {v}
        we start at {v}
        be there before {v}
    """,
        ),
        field(
            "ticket",
            values.money,
            "Ticket price | Entry fee | Admission | Price of a ticket",
            "ticket price | entry fee | admission",
            """
        a ticket costs {v}
        tickets are {v}
        entry costs {v}
        you pay {v} at the door
        tickets can be bought for {v}
        for {v} you can come in
        we charge {v} for entry
        {v} gets you in
        seats are sold at {v}
        ...
        {v} is all you pay for a seat
        {v} buys you a seat for the evening
        {v} will be charged at the entrance
        {v} per person is due at the door
        {v} a head is what {s} costs
        {v} is the price on the ticket
        {v} covers entry and one drink
        {v} lets you see {s} from start to end
        {v} is not much for such a night out
        {v} at the box office, and you are in
        put down {v} on the counter for your ticket
        pay {v} at the entrance
        we ask for {v} per person as admission
        bring {v} in cash for the box office
        once you have paid {v}, you may walk in
        seats go for {v} each
        we take {v} per guest at the door
        it takes {v} to see {s}
        spend {v} on a seat and enjoy {s}
        hand over {v} and we let you in
        how much to get in? {v}
        each guest pays {v}
        box office price: {v}
        admission to {s} comes to {v}
        a seat can be yours for {v}
        the ticket office asks {v}
        visitors are charged {v}
        the price of getting in is {v}
        one ticket, one night, only {v}
        a night at {s} sets you back {v}
    """,
            """
        entry is {v}
        tickets sell for {v}
        you pay {v} to come in
    """,
        ),
        field(
            "speaker",
            values.person,
            "Speaker | Guest | Who speaks | Main guest",
            "speaker | guest | main guest",
            """
        {v} will speak
        {v} gives a talk
        listen to {v}
        our guest is {v}
        we welcome {v} on stage
        {v} is going to talk
        a talk by {v} opens it
        you will hear {v}
        with us is {v}
        {v} takes the stage
        ...
        {v} is our guest of honour
        {v} joins us as the main speaker
        {v} has agreed to speak at {s}
        {v} will share some thoughts with you
        {v} tells us about a life at sea
        {v} steps up to the microphone
        {v} answers your questions after the talk
        {v} says a few words before dinner
        {v} reads from a new book
        {v} has come a long way to address {s}
        clap your hands for {v} as our speaker
        we asked {v} to say a few words
        you can meet {v} after the talk
        a lecture by {v} is part of {s}
        it is an honour to have {v} as our guest
        with {v} on the podium {s} will not be dull
        we could win {v} for a lecture
        the microphone goes to {v} for an hour
        the words of {v} will stay with you long after {s}
        let {v} tell you how it all began
        the main speech comes from {v}
        who speaks? {v}
        on the podium you see {v}
        our speaker this year: {v}
        {s} features a lecture by {v}
        the star of {s} is {v}
        the lecture is held by {v}
        please give a big hand to {v}
        an hour of wit and wisdom from {v}
        {s} brings you face to face with {v}
    """,
            """
        {v} will give a talk
        a speech by {v} opens it
        our guest will be {v}
    """,
        ),
        field(
            "organiser",
            values.company,
            "Organiser | Host | Organised by | Who organises it",
            "organiser | host",
            """
        it is organised by {v}
        {v} invites you
        {v} organises it
        it is run by {v}
        behind it is {v}
        {v} is the host
        it is hosted by {v}
        {v} puts it on
        {v} made it possible
        ...
        {v} has planned {s} for months
        {v} takes care of everything on the night
        {v} is in charge of {s}
        {v} asks you to be its guest
        {v} set it all up
        {v} is responsible for the programme
        {v} has the pleasure of hosting you
        {v} sends out the invitations
        {v} and its team make {s} happen
        {v} plans a party like this every year
        the people of {v} have put much work into {s}
        we thank {v} for setting everything up
        thanks to {v} for bringing us all together
        you are the guests of {v} for the night
        it was {v} who had the idea and planned it
        every year {v} gives this party
        ask the team of {v} if you have questions about the programme
        the staff of {v} will greet you at the door
        as the host, {v} pays for the drinks
        behind the scenes {v} pulls the strings
        who put it together? {v}
        an evening brought to you by {v}
        {s} is the work of {v}
        the invitation comes from {v}
        your hosts are the people at {v}
        for the planning we have to thank {v}
        {s} lies in the hands of {v}
        the whole programme was put together by {v}
        arranged and paid for by {v}
        {s} has been made possible by our host, {v}
    """,
            """
        {v} runs it
        {s} is organised by {v}
        {v} is behind it
    """,
        ),
        field(
            "seats",
            values.number,
            "Number of seats | Seats | Capacity",
            "number of seats | capacity",
            """
        there is room for {v} people
        {v} people fit in
        it has {v} seats
        we have {v} places
        up to {v} guests can come
        we expect {v} guests
        only {v} seats are left
        {v} chairs are ready
        ...
        {v} can take part
        {v} is as many as we can let in
        {v} visitors can sit down at once
        {v} people is the limit
        {v} seats were put up for {s}
        {v} places are on offer
        {v} of you can join
        {v} heads is all the room can hold
        {v} guests may enter, and then we close the doors
        {v} chairs stand in rows before the stage
        the hall holds {v} people
        the room seats {v} in comfort
        we must stop at {v} guests for safety
        no more than {v} visitors are allowed in
        space is limited to {v} people
        a crowd of {v} can be seated for {s}
        {s} is open to the first {v} who sign up
        the hall can take {v} at most
        rows and rows - {v} chairs in all
        with {v} visitors {s} would be sold out
        how many can come? {v}
        the number of guests must not go over {v}
        the house is full at {v}
        {s} can welcome a crowd of {v}
        when every chair is taken, we are {v}
        the fire rules allow an audience of {v}
        {s} takes in at most {v}
        places in all: {v}
        the size of the audience is capped at {v}
        the seating at {s} is for {v}
    """,
            """
        there are {v} seats
        up to {v} people fit in
        we have room for {v} guests
    """,
        ),
        WEBSITE,
        CONTACT,
        PHONE,
    ),
)

PRODUCT = Kind(
    "product",
    ("it", "the device", "this product", "the new one"),
    (
        "New in our shop!",
        "Product details",
        "Just arrived.",
        "Our best seller.",
        "Look what we have for you.",
        "Good things need not be dear.",
    ),
    (
        field(
            "product",
            values.title,
            "Product | Product name | Name | Name of the product",
            "product | product name | name",
            """
        meet {v}
        here is {v}
        we bring you {v}
        {v} is here
        try {v}
        our shop now has {v}
        {v} is new in our shop
        it is called {v}
        we call it {v}
        you are looking at {v}
        {v} makes life easier
        the new {v} is out
        ...
        {v} has landed on our shelves
        {v} is the one that everybody wants
        {v} can now be ordered
        {v} - that is its name
        {v} is back in stock
        {v} was the name we gave {s}
        {v} was sold out within days
        {v} belongs in every home
        {v} is printed on the front
        {v} does what the old one could not
        order {v} today and be the first
        we tested {v} for a month
        with {v} in the house you will save time
        ask for {v} in any good shop
        my new {v} works very well
        those who choose {v} will not look back
        have you tried {v} yet
        they named it {v} after a river
        people who bought {v} were happy with it
        you asked for something better, so {v} was born
        what is it called? {v}
        {s} goes under the name {v}
        {s} is sold as {v}
        let us show you {v}
        this week on sale: {v}
        on the box you read {v}
        treat yourself to {v}
        thank you for choosing {v}
        {s} bears the name {v}
        make room at home for {v}
    """,
            """
        our shop brings you {v}
        {v} is out now
        the product is called {v}
    """,
        ),
        field(
            "weight",
            values.measure("kg", "g", "grams", "pounds", "kilograms"),
            "Weight | How heavy is it | Mass",
            "weight | mass",
            """
        it weighs {v}
        it weighs only {v}
        at {v} it is light
        it is {v} heavy
        with {v} it is not heavy
        it brings {v} to the scale
        you carry just {v}
        {s} weighs {v}
        it tips the scale at {v}
        ...
        {v} is all that {s} weighs
        {v} is its weight without the box
        {v} on the scale, not more
        {v} makes it heavy enough to stand still
        {v} is too heavy for one hand
        {v} was what our scale showed
        {v} of weight keeps it in place
        {v} must be lifted to move it
        {v} is what you lift when you pick up {s}
        {v} (with cable) is its mass
        expect {v} on the scale
        its mass, {v} to be exact, surprised us
        a weight of {v} is no trouble to carry
        weighed with its box, it came to {v} in our test
        the parcel weighs {v} and comes by post
        for a thing of {v} it is easy to move
        its {v} of weight will not hurt your back
        add {v} to the load when you pack {s}
        {s} adds {v} to your bag
        to ship {v} by post is not cheap
        how heavy is it? {v}
        weight without the box: {v}
        the scale shows {v}
        packed up, {s} weighs {v}
        your bag gets heavier by {v}
        we kept the weight down to {v}
        its mass was measured as {v}
        be ready to lift {v}
        its weight does not go over {v}
        light or heavy? you be the judge: {v}
    """,
            """
        {s} is {v} heavy
        you carry {v}
        weighing {v}, it is light
    """,
        ),
        field(
            "colour",
            values.colour,
            "Colour | Color | Which colour",
            "colour | color | shade",
            """
        it comes in {v}
        it is painted {v}
        it is {v} all over
        we sell it in {v}
        you get it in {v}
        it shines in {v}
        it is made in {v}
        its case is {v}
        it looks good in {v}
        ...
        {v} is the only colour we have left
        {v} suits it very well
        {v} from top to bottom, {s} looks lovely
        {v} is the shade that we picked
        {v} was my choice of colour
        {v} as a colour may not be for everyone
        {v} on the outside, {s} goes with every room
        {v} is how they painted it at the factory
        {v} gives it a fresh look
        {v} paint covers the case
        choose {v} if you want a colour that stands out
        they coloured {s} {v} to match the box
        the {v} one looks best in our room
        with its {v} finish it looks new for years
        we dyed {s} {v} by hand
        a coat of {v} makes it shine
        we wanted {v} as the colour and got it
        only the {v} version is in stock
        its {v} colour does not fade
        not everyone likes {v}, but the colour grew on us
        what colour is it? {v}
        colour on the order form: {v}
        the shade in the picture is {v}
        {s} looks lovely in {v}
        it left the factory in {v}
        you will know {s} by its colour, {v}
        the whole case has been sprayed {v}
        of all the colours we went for {v}
        the paint is best described as {v}
        front and back are both {v}
    """,
            """
        {s} is painted {v}
        we have it in {v}
        it shines {v}
    """,
        ),
        field(
            "battery",
            values.measure("hours", "minutes", "days"),
            "Battery life | Running time | How long does the battery last",
            "battery life | running time",
            """
        the battery lasts {v}
        it runs for {v}
        one charge lasts {v}
        it works {v} without a plug
        you can use it {v} on one charge
        a full battery gives {v}
        it holds out for {v}
        after {v} it must be charged
        ...
        {v} is how long a full battery lasts
        {v} without the charger is no problem for {s}
        {v} on a full battery was our result
        {v} passed before the battery was empty
        {v} of use is what one charge gives
        {v} go by before you have to charge it
        {v} away from the wall plug - {s} can do that
        {v} between two charges is normal
        {v} may pass until the battery runs flat
        {v} was what we got out of one charge
        you get {v} of use from a full charge
        charge it once and enjoy {v} of running time
        its battery keeps going for {v} at a time
        expect {v} from the battery when it is new
        our battery died {v} after a full charge
        with {v} of battery life you need no cable
        leave the charger at home for {v} and do not worry
        a charge is good for {v} of work
        plug it in every {v} to fill the battery
        fully charged, {s} stays on for {v} without a break
        how long does one charge last? {v}
        battery life in our test: {v}
        {s} can go without a plug for {v}
        before it went flat, it ran {v}
        the battery was empty after {v}
        recharge {s} every {v}
        unplugged, it stays on for {v}
        on battery alone you can work {v}
        you will not need the charger for {v}
        the cells inside hold enough power for {v}
    """,
            """
        on one charge it runs {v}
        its battery holds out {v}
        the battery gives you {v}
    """,
        ),
        field(
            "warranty",
            values.duration,
            "Warranty | Guarantee | Warranty period",
            "warranty | guarantee",
            """
        we give you a warranty of {v}
        it is covered for {v}
        it comes with a {v} warranty
        you are safe for {v}
        we repair it free for {v}
        it has a guarantee of {v}
        the maker stands by it for {v}
        for {v} we will mend it
        ...
        {v} is how long our guarantee runs
        {v} of free repairs come with it
        {v} from the day of purchase you are covered
        {v} of warranty gives you peace of mind
        {v} is the time in which you may claim
        {v} long we fix any fault free of charge
        {v} after you bought it, the warranty ends
        {v} is what the maker promises for repairs
        {v} of cover is part of the deal
        {v} is a long guarantee for {s}
        we guarantee it for {v} from the day you buy it
        should it break within {v}, we replace it
        you have {v} to claim a free repair
        your guarantee is good for {v} and costs nothing
        if it fails in the first {v}, you get a new one
        parts are covered for {v} by the maker
        keep the receipt for {v} in case it breaks
        any fault within {v} is ours to fix
        for the first {v} all repairs are on us
        our promise holds {v} from the day of sale
        how long is the guarantee? {v}
        your warranty runs out after {v}
        {s} is under warranty for {v}
        {s} is guaranteed to work for {v}
        if it breaks, repairs cost you nothing for {v}
        warranty from the date of purchase: {v}
        should {s} fail, you are covered for {v}
        we will replace faulty parts for {v}
        claims can be made within {v}
        no repair bills for {v}
    """,
            """
        it has a {v} guarantee
        you get a warranty of {v}
        we mend it free for {v}
    """,
        ),
        field(
            "maker",
            values.company,
            "Manufacturer | Maker | Brand | Made by",
            "manufacturer | maker | brand",
            """
        it is made by {v}
        it comes from {v}
        {v} makes it
        it was built by {v}
        it is sold by {v}
        {v} designed it
        the people at {v} make it
        it is a product of {v}
        it was thought up at {v}
        ...
        {v} made it in its own factory
        {v} stands behind {s}
        {v} is the name of the firm that made it
        {v} brought it to market
        {v} has been making such things for years
        {v} is the brand on the box
        {v} put it together by hand
        {v} came up with {s}
        {v} - a maker you can trust
        {v} manufactures {s} for us
        the firm {v} makes it at home and abroad
        it left the works of {v} last year
        a team at {v} developed it
        you know {v} as a good brand
        the label says {v} as its maker
        once again {v} has made a fine device
        engineers at {v} spent years on it
        ask {v} for spare parts, they make it
        you can tell that {v} made it with care
        if {v} is on the label, the work is good
        who makes it? {v}
        the brand is one you know: {v}
        {s} is the latest from {v}
        it carries the label of {v}
        produced by {v}
        on the back is the logo of {v}
        for spare parts turn to its maker, {v}
        {s} comes out of the factory of {v}
        it was put together at the plant of {v}
        we owe {s} to the clever people of {v}
    """,
            """
        {v} builds it
        {s} is made by {v}
        it was designed at {v}
    """,
        ),
        field(
            "material",
            values.several(
                values.words("steel wood glass leather cotton rubber plastic bamboo copper aluminium wool cork ceramic")
            ),
            "Material | Made of | Materials",
            "material | materials",
            """
        it is made of {v}
        it is built from {v}
        it consists of {v}
        we make it from {v}
        we use {v}
        its body is of {v}
        {v} make it strong
        it is cut from {v}
        ...
        {v} are what {s} is made of
        {v} went into making it
        {v} feel good to the touch
        {v} were put together to make {s}
        {v} give it a solid body
        {v} were our choice of material
        {v} form its case
        {v} keep it from breaking
        {v} cover it on all sides
        {v} are easy to clean and last for years
        the makers chose {v} for its body
        they joined {v} by hand to make it
        we picked {v} as materials
        parts of {v} hold it together
        because {v} were used, it is easy to clean
        you can feel {v} in your hand when you touch it
        with {v} as its materials {s} will last
        you will find {v} and no cheap stuff in it
        its frame of {v} is built to last
        once {v} have been cut, we put them together
        what is it made of? {v}
        materials used: {v}
        {s} has a frame of {v}
        {s} is put together from {v}
        the outside is all {v}
        for the case they used {v}
        it is a mix of {v}
        {s} is fashioned out of {v}
        we work only with {v}
        every part was shaped from {v}
    """,
            """
        {s} is built of {v}
        it is made from {v}
        {v} are used for it
    """,
        ),
        field(
            "power",
            values.measure("watts", "volts", "kW", "horsepower"),
            "Power | Power consumption | How much power does it use",
            "power | power consumption",
            """
        it uses {v}
        it draws {v}
        it needs {v}
        it delivers {v}
        a motor of {v} drives it
        it runs on {v}
        it takes {v} from the wall
        ...
        {v} is all the power it needs
        {v} of power sit under the lid
        {v} is its power rating
        {v} flow through it when it is switched on
        {v} is what the motor puts out
        {v} from the plug will keep it going
        {v} of power is enough for most jobs
        {v} was measured at the plug
        {v} of muscle drive {s}
        {v} is how much power {s} eats
        plug it into {v} and switch it on
        it pulls {v} from the socket when in use
        you need a supply of {v} to run it
        its engine puts out {v} at full speed
        with {v} under the hood it is strong
        the motor is rated {v} by the maker
        switched on, {s} uses up {v} of power
        the meter showed {v} while it was on
        {s} asks for {v} of power
        feed it {v} and it will run
        how much power does it use? {v}
        power from the socket: {v}
        {s} is rated at {v}
        the output of the motor reaches {v}
        at full power it goes up to {v}
        {s} will not use more than {v}
        the label near the plug says {v}
        make sure that your socket gives {v}
        inside works an engine of {v}
        turned up high, it eats {v}
    """,
            """
        {s} draws {v}
        it takes {v}
        its motor delivers {v}
    """,
        ),
        PRICE,
        WEBSITE,
        PHONE,
    ),
)

PROPERTY = Kind(
    "property",
    ("it", "the flat", "this house", "the place"),
    (
        "To let.",
        "A home for you.",
        "Quiet flat in a good area.",
        "New on the market.",
        "Would you like to move?",
        "We have a house to offer.",
    ),
    (
        field(
            "address",
            values.address,
            "Address | Street | Where is it",
            "address | street address",
            """
        it is at {v}
        you find it at {v}
        it stands at {v}
        come and see it at {v}
        it is located at {v}
        the door is at {v}
        visit us at {v}
        we show it to you at {v}
        it can be seen at {v}
        ...
        {v} is where you will find {s}
        {v} is the address to put in your map
        {v} could be your new address
        {v} is the place to ring the bell
        {v} will be on your letters
        {v} is a quiet spot to live
        {v} has come on the market
        {v} is up for rent
        {v} is where we meet for the viewing
        {v} is close to shops and schools
        go to {v} and ring the bell
        the house at {v} is looking for a tenant
        who would not want to live at {v} in the spring
        meet us in front of {v} for a viewing
        type {v} into your map to find {s}
        we read {v} on the sign by the gate
        moving to {v} puts you close to the shops
        we are letting {v} to a quiet family
        your letters will go to {v} once you live there
        viewings take place at {v} by appointment
        where is it? {v}
        address for the viewing: {v}
        {s} can be found at {v}
        {s} lies at {v}
        your new home awaits at {v}
        put on your shoes and walk to {v}
        we have something to let at {v}
        take the bus and get off near {v}
        look for the gate at {v}
        on the map, {s} is marked as {v}
    """,
            """
        {s} stands at {v}
        you can see it at {v}
        come to {v} to see it
    """,
        ),
        field(
            "rent",
            values.money,
            "Rent | Monthly rent | How much is the rent",
            "rent | monthly rent",
            """
        you pay {v} a month
        it rents for {v}
        it can be rented for {v}
        we ask {v} each month
        each month costs {v}
        it is let for {v}
        it costs {v} a month
        the landlord asks {v}
        ...
        {v} a month is the rent
        {v} is due on the first of each month
        {v} is what the tenant pays monthly
        {v} goes to the landlord every month
        {v} per month, heating included
        {v} covers the rent for one month
        {v} was the rent until now
        {v} monthly is fair for {s}
        {v} leaves your account every month
        {v} is asked in rent for {s}
        expect to pay {v} in rent
        the rent of {v} is due on the first day
        we charge {v} per month, water included
        tenants pay {v} monthly for {s}
        they raised the rent to {v} a month
        you owe the landlord {v} every month
        every month you transfer {v} to the owner
        can you spare {v} a month for a home
        we let {s} at {v} per month
        set {v} aside each month for the rent
        how much is the rent? {v}
        rent per month, without heating: {v}
        the monthly bill for living here is {v}
        your rent will be {v}
        the owner wants a rent of {v}
        {s} brings its owner a monthly {v}
        we set the rent at {v}
        on the first of every month you pay {v}
        one month in {s} will cost you {v}
        the lease names a rent of {v}
    """,
            """
        it is rented at {v}
        {v} is paid each month
        the landlord lets it for {v}
    """,
        ),
        field(
            "area",
            values.measure("square metres", "m2", "square feet"),
            "Area | Size | Floor space | How large is it",
            "area | floor space | size",
            """
        it measures {v}
        it is {v} large
        you get {v}
        there are {v} to live in
        it covers {v}
        it spreads over {v}
        you live on {v}
        it offers {v}
        {v} give you room
        ...
        {v} is the size of {s}
        {v} of floor await you
        {v} is plenty of space for a family
        {v} of living space is hard to find
        {v} under one roof
        {v} can be filled with your furniture
        {v} was measured from wall to wall
        {v} is how large {s} is
        {v} of space is all yours
        {v} is not small for a flat
        with {v} of space nobody is in the way
        put your things on {v} of floor
        a living space of {v} is yours
        there is {v} of space between its walls
        you have {v} to fill with furniture
        the plan shows {v} of living space
        all of its {v} can be lived in
        you need carpet for {v} to cover the floor
        nobody feels cramped in {v} of space
        on {v} of floor even a big family fits
        how large is it? {v}
        living space: {v}
        the floor plan adds up to {v}
        when we measured {s}, its size was {v}
        its total surface is {v}
        from wall to wall {s} comes to {v}
        room to breathe on {v}
        {s} is big, with a floor of {v}
        you will sweep and mop {v}
        make yourself at home on {v}
    """,
            """
        {s} covers {v}
        you live in {v}
        it is spread over {v}
    """,
        ),
        field(
            "rooms",
            values.measure("rooms", "bedrooms"),
            "Rooms | Number of rooms | How many rooms",
            "number of rooms | rooms",
            """
        it has {v}
        there are {v}
        it comes with {v}
        you can use {v}
        {v} are waiting for you
        it is divided into {v}
        it counts {v}
        ...
        {v} make up {s}
        {v} leave space for children and guests
        {v} lie behind the front door
        {v} and a kitchen, that is the layout
        {v} are enough for the whole family
        {v} can be furnished as you like
        {v} open off the hall
        {v} plus kitchen and bath
        {v} have just been painted
        {v} were planned when {s} was built
        the hall leads to {v} with large windows
        we painted all {v} last year
        you can spread your family over {v} and a kitchen
        besides the kitchen you find {v} and a bath
        you will have {v} to furnish
        a home with {v} is rare here
        each of the {v} has a window
        heating all {v} is easy in winter
        the builder put {v} under one roof
        {s} gives you {v} and a balcony
        how many are there to sleep and live in? {v}
        the layout: {v}
        the builders gave {s} {v}
        {s} is made up of {v}
        on the plan you can count {v}
        open the doors to {v}
        the last family shared {v}
        apart from kitchen and bath we offer {v}
        come in and walk through {v}
        your furniture will have to fill {v}
    """,
            """
        {s} has {v}
        you get {v} to use
        {v} are there
    """,
        ),
        field(
            "available",
            values.date,
            "Available from | Free from | Move-in date",
            "move-in date | date it is free",
            """
        it is free from {v}
        you can move in on {v}
        it is available from {v}
        it will be empty on {v}
        from {v} it is yours
        you get the keys on {v}
        move in on {v}
        we hand it over on {v}
        ...
        {v} is the day you can move in
        {v} is when {s} becomes free
        {v} is the earliest date for moving in
        {v} will see the old tenants leave
        {v} is when the keys change hands
        {v} or later, you may carry in your boxes
        {v} is when the new lease begins
        {v} onwards, {s} stands empty
        {v} marks the start of your lease
        {v} was agreed for handing over the keys
        as of {v} it is vacant
        until {v} somebody else lives there
        nobody may move in before {v} as work goes on
        the keys will be handed out on {v} at noon
        on {v} the old tenants move out
        bring your boxes on {v} and move in
        by {v} the last tenant will be gone
        plan your move for {v} or later
        {s} can be moved into on {v} or any day after
        if {v} is too early, you may move in later
        from which day can one live here? {v}
        open for new tenants as of {v}
        ready to move into by {v}
        {s} becomes vacant on {v}
        {s} can be let from {v}
        the present tenants stay until {v}
        you could sleep here as early as {v}
        earliest move: {v}
        book the moving van for {v}
        your lease for {s} starts on {v}
    """,
            """
        from {v} you can move in
        {s} is free from {v}
        the keys are yours on {v}
    """,
        ),
        field(
            "agent",
            values.person,
            "Agent | Contact person | Whom to ask | Estate agent",
            "agent | contact person | estate agent",
            """
        ask for {v}
        {v} will show it to you
        talk to {v}
        {v} has the keys
        your contact is {v}
        {v} takes care of it
        please speak to {v}
        {v} knows all about it
        it is offered by {v}
        ...
        {v} is the agent for {s}
        {v} looks after the letting
        {v} will meet you at the door for a viewing
        {v} answers your questions about {s}
        {v} acts for the owner
        {v} is the person to talk to
        {v} shows people round at the weekend
        {v} can arrange a viewing
        {v} has been asked to let {s}
        {v} handles the lease
        get in touch with {v} for a viewing
        we asked {v} to find a tenant
        the agent, {v}, will open the door
        let {v} know if you want to see it
        tell {v} when you would like to come
        our colleague {v} is in charge of {s}
        you can pick up the keys from {v} at the office
        leave a message for {v} to get a viewing
        should you like it, {v} will write up the lease
        when you arrive, {v} will be there with the keys
        who lets it? {v}
        agent in charge: {v}
        the letting is in the hands of {v}
        {s} is being let through {v}
        viewings are arranged by {v}
        to rent {s}, turn to {v}
        the owner is represented by {v}
        your guide through the house is {v}
        make an appointment with {v}
        any questions? our agent is {v}
    """,
            """
        please ask {v}
        {v} will take care of it
        speak to {v} about it
    """,
        ),
        field(
            "deposit",
            values.money,
            "Deposit | Security deposit | How much is the deposit",
            "deposit | security deposit",
            """
        you leave a deposit of {v}
        we keep {v} as security
        {v} must be left as a deposit
        before you move in, {v} is deposited
        a deposit of {v} is needed
        you pay {v} as security
        ...
        {v} is kept back until you move out
        {v} is held in case of damage
        {v} is the security asked for {s}
        {v} comes back to you when you move out
        {v} has to be deposited before you get the keys
        {v} was the deposit when we moved in
        {v} in advance protects the owner against damage
        {v} is put in the bank as a deposit
        {v} will be returned at the end of the lease
        {v} is the deposit for {s}
        we hold {v} against damage
        put down {v} as a deposit
        you get {v} back when you move out
        the landlord keeps {v} until the lease ends
        if nothing is broken, {v} will be paid back
        hand over {v} as security with the lease
        the deposit of {v} is paid back in the end
        they want {v} up front as security
        a single payment of {v} is held as deposit
        our deposit, {v}, was given back to us
        how much is the deposit? {v}
        to be paid back when you leave: {v}
        against any harm to {s} you deposit {v}
        {s} can be had against a deposit of {v}
        our old landlord never gave us back the deposit, {v}
        when you hand back the keys you get back {v}
        the bank holds your deposit of {v}
        if you break something in {s}, you lose {v}
        with the lease comes a deposit of {v}
        the tenant deposits {v}
    """,
            """
        as a deposit you leave {v}
        a security of {v} is needed
    """,
        ),
        field(
            "floor",
            storey,
            "Floor | Which floor",
            "floor | level",
            """
        it lies on the {v}
        you live on the {v}
        it is on the {v}
        take the lift to the {v}
        you go up to the {v}
        it takes up the {v}
        ...
        {v}, with a view over the roofs
        {v}, door on the left
        {v} with lift
        {v} in a house without a lift
        {v} is where your door is
        {v} is the level you want
        {v} is as high as you climb
        {v} is the one to press in the lift
        {v} at the back, facing the garden
        {v} - that is where {s} is
        the {v} of the house is yours
        from the {v} you can see the street
        the stairs lead to the {v} in no time
        we are letting the {v} to a family
        press the button for the {v} and step out
        the whole {v} belongs to {s}
        its windows on the {v} look over the garden
        carry your boxes to the {v} by lift
        get out at the {v} and turn left
        one flat on the {v} is still free
        which level is it on? {v}
        level in the building: {v}
        if you want {s}, climb the stairs to the {v}
        {s} has its front door on the {v}
        step out of the lift onto the {v}
        the flat to let takes in all of the {v}
        you enjoy the view from the {v}
        ring at the door on the {v}
        the old tenants lived on the {v}
        your bed would stand on the {v}
    """,
            """
        {s} is on the {v}
        go to the {v}
    """,
        ),
        CONTACT,
        PHONE,
    ),
)

RECIPE = Kind(
    "recipe",
    ("it", "the dish", "this recipe", "the meal"),
    (
        "Today we cook.",
        "A recipe for the weekend.",
        "From our kitchen.",
        "Easy and good.",
        "What shall we eat today?",
        "Cooking need not be hard.",
    ),
    (
        field(
            "dish",
            values.dish,
            "Dish | Name of the dish | Recipe | What is cooked",
            "dish | recipe | meal",
            """
        we make {v}
        today there is {v}
        we cook {v}
        let us cook {v}
        this is how to make {v}
        {v} is on the table
        it is a {v}
        we show you how to cook {v}
        you will make {v}
        nothing beats {v}
        {v} is a fine thing
        ...
        {v} is what we are making
        {v} is easier to make than you think
        {v} tastes best when it is fresh
        {v} is our favourite for cold days
        {v} will be on your plate soon
        {v} makes a fine lunch
        {v} has always been loved in our family
        {v} is the name of {s}
        {v} again? yes, it is that good
        {v}: even beginners can cook it
        the secret of {v} is patience
        if you like {v} you will love {s}
        making {v} at home is not hard
        there is {v} for dinner tonight
        a plate of {v} warms you up
        we serve {v} with bread and wine
        try {v} when friends come for dinner
        let me tell you how {v} is made
        who does not like {v} on a cold day
        once you have made {v} you will want it again
        what is for dinner? {v}
        {s} is called {v}
        on the menu tonight: {v}
        you are about to cook {v}
        learn to make your own {v}
        {s} is known to us as {v}
        in our house we often eat {v}
        {s} will teach you how to prepare {v}
        treat your guests to {v}
        nothing fancy, just {v}
    """,
            """
        today we cook {v}
        this is a recipe for {v}
        we show you how to make {v}
    """,
        ),
        field(
            "serves",
            values.measure("people", "persons", "guests"),
            "Servings | Serves | For how many people",
            "number of servings | servings",
            """
        it serves {v}
        it is enough for {v}
        it feeds {v}
        {v} can eat from it
        it makes a meal for {v}
        we cook for {v}
        {v} will be full
        ...
        {v} can sit down to eat
        {v} get a full plate each
        {v} will leave the table happy
        {v} is how many {s} will feed
        {v} can be fed with this amount
        {v} will have enough
        {v} at the table are no problem
        {v} may dig in
        {v} is what the amounts are meant for
        {v} will want seconds of {s}
        it fills the plates of {v} and leaves a little over
        for {v} or fewer the pot is big enough
        if {v} are coming, this is the right amount
        a table of {v} will be fed by {s}
        when {v} come to dinner, make {s}
        there is food for {v} in one pot
        {s} will satisfy {v} with ease
        with these amounts {v} will not stay hungry
        you can invite {v} to eat it
        we had {v} at the table and all were fed
        the amounts are right for {v}
        {s} yields enough for {v}
        portions: {v}
        how many eaters? {v}
        the quantities given are for {v}
        {s} fills the stomachs of {v}
        double everything if you have more than {v}
        one pot is plenty for {v}
        set the table for {v}
        cut {s} into portions for {v}
    """,
            """
        {s} feeds {v}
        it is a meal for {v}
        {v} can share it
    """,
        ),
        field(
            "time",
            values.duration,
            "Cooking time | Baking time | How long does it take | Time",
            "cooking time | time",
            """
        it takes {v}
        it is ready in {v}
        cook it for {v}
        let it boil for {v}
        leave it in the oven for {v}
        it needs {v}
        after {v} it is done
        wait {v}
        you need {v} for it
        ...
        {v} is all the time you need
        {v} from start to finish is not too long
        {v} in the oven will do
        {v} later you can eat
        {v} of cooking makes it soft
        {v} on a low flame is just right
        {v} must pass before {s} is done
        {v} is how long {s} has to cook
        {v} should be long enough for it to brown
        {v} of patience and {s} is yours
        let it simmer for {v} and stir often
        in just {v} the food is on the table
        give it {v} to cook through
        set the timer to {v} and relax
        plan {v} for {s} from start to finish
        within {v} you will be eating it
        roast it {v} or until it is brown
        once {v} in the oven are over, take {s} out
        it must stay on the stove for {v} or a little more
        {s} wants {v} of slow cooking
        {s} should cook for {v}
        cover the pot and let it stew for {v}
        how long must you wait? {v}
        total time: {v}
        do not open the oven before the end of {v}
        {s} will be on the table in {v}
        the lid stays on the pot for {v}
        {s} keeps you in the kitchen for {v}
        all in all the cook is busy for {v}
        the clock should run for {v}
    """,
            """
        {s} takes {v}
        it is done after {v}
        bake it for {v}
    """,
        ),
        field(
            "heat",
            values.measure("degrees", "degrees Celsius", "C"),
            "Temperature | Oven temperature | How hot",
            "temperature | oven temperature | heat",
            """
        heat the oven to {v}
        bake it at {v}
        set the oven to {v}
        it is cooked at {v}
        the oven should be at {v}
        keep it at {v}
        {v} is hot enough
        do not go above {v}
        ...
        {v} is the right heat for {s}
        {v} on the dial is what you want
        {v} gives it a brown crust
        {v} in the oven makes {s} crisp
        {v} is as hot as it should get
        {v} must be reached before it goes in
        {v} will do, more would burn it
        {v} is what the thermometer should show
        {v} and no hotter, or it dries out
        {v} is best if your oven has a fan
        warm the oven to {v} before you begin
        at {v} the crust turns brown
        turn the oven up to {v} and wait
        with the oven at {v}, put {s} in
        roast it at {v} until it is brown
        the dial goes to {v} and stays there
        as soon as the oven shows {v}, you can start
        a heat of {v} is what {s} wants
        lower the oven to {v} for the last part
        if the oven is not yet {v} hot, be patient
        preheat to {v}
        turn the dial to {v}
        how hot should the oven be? {v}
        oven: {v}
        {s} goes into an oven of {v}
        let the fat get as hot as {v}
        {s} cooks best at {v}
        bring the pan up to {v}
        {s} burns if it gets hotter than {v}
        switch on the oven and choose {v}
    """,
            """
        heat it to {v}
        set the heat to {v}
        the oven is kept at {v}
    """,
        ),
        field(
            "ingredients",
            values.several(values.INGREDIENTS),
            "Ingredients | Main ingredients | What is needed",
            "ingredients | main ingredients",
            """
        you need {v}
        take {v}
        mix {v}
        it is made with {v}
        buy {v}
        start with {v}
        put {v} in a bowl
        it calls for {v}
        cut {v} into pieces
        have {v} at hand
        ...
        {v} are all you have to buy
        {v} go into the pot first
        {v} give {s} its taste
        {v} should be in your kitchen
        {v} must be fresh
        {v} form the base of {s}
        {v} come together in one pan
        {v} from the market are best
        {v} should be washed before use
        {v}: that is the whole shopping list
        chop {v} as finely as you can
        wash {v} and let them dry
        fry {v} in a little oil
        stir {v} into the sauce
        add {v} to the pan and wait
        we use only {v} for {s}
        get {v} from the shop before you start
        {s} would be nothing without {v} in it
        blend {v} until smooth
        weigh {v} and set them aside
        on the shopping list: {v}
        what goes in? {v}
        the main things in {s} are {v}
        fill the pan with {v}
        {s} gets its taste from {v}
        look in your cupboard for {v}
        do not forget to buy {v}
        {s} is a mix of {v}
        into the pot go {v}
        in the mixing bowl you want {v}
    """,
            """
        it needs {v}
        first take {v}
        {s} is made with {v}
    """,
        ),
        field(
            "author",
            values.person,
            "Author | Cook | Chef | Who cooked it",
            "author | cook | chef",
            """
        we had it from {v}
        {v} wrote it down
        {v} cooks it every week
        we got it from {v}
        {v} showed us how
        it was invented by {v}
        {v} taught us to make it
        thanks go to {v}
        it is by {v}
        ...
        {v} is the cook who gave it to us
        {v} runs the kitchen where {s} is served
        {v} stood at the stove
        {v} prepared {s} for us
        {v} shared the recipe with our readers
        {v} came up with the idea
        {v} has made {s} since childhood
        {v}, our chef, swears by it
        {v} sent us the recipe
        {v} cooks like no other
        our chef {v} makes it every Sunday
        when {v} cooks, the whole house smells good
        the recipe by {v} has never failed us
        we asked {v} to share {s} with us
        in the kitchen of {v} we tasted {s}
        as {v} cooks it, it is soft and sweet
        we watched {v} cook it and took notes
        a cookbook by {v} has it on the first page
        thank {v} for the recipe if you like it
        from the pen of {v} and tested in our kitchen
        who is the cook? {v}
        recipe and photo by {v}
        {s} was cooked for us by {v}
        chef at the stove: {v}
        our guest in the kitchen is {v}
        {s} is a creation of {v}
        it was first put on paper by {v}
        this one was handed down by {v}
        {s} was sent in by our reader {v}
        the apron is worn by {v}
    """,
            """
        {v} invented it
        we learned it from {v}
        {v} wrote it
    """,
        ),
        field(
            "energy",
            values.measure("calories", "kcal", "kJ"),
            "Calories | Energy",
            "calories | energy | energy content",
            """
        it has {v}
        one plate holds {v}
        it gives you {v}
        you take in {v}
        a plate has {v}
        that makes {v} a plate
        ...
        {v} per serving is not much
        {v} is the energy in one serving
        {v} in every bowl will keep you going
        {v} a portion is fine, even on a diet
        {v} are in each serving of {s}
        {v} is what one helping adds to your day
        {v} each, so go easy on seconds
        {v} come with every slice
        {v} is the calorie count of one helping
        {v} of energy are packed into {s}
        with {v} per portion {s} is quite light
        one helping puts {v} on your daily count
        you get {v} from one bowl
        each portion packs {v} and plenty of taste
        at {v} a serving you need not feel guilty
        we worked out {v} for each plate
        a slice of it brings {v} to your day
        if you are on a diet, note {v} for {s}
        to burn off the {v} in {s}, go for a run
        there are {v} in a single bowl
        each serving of {s} comes to {v}
        nutrition per serving: {v}
        a bowl of it contains {v}
        one portion provides {v}
        how rich is one plate? {v}
        {s} supplies your body with {v}
        your body gets fuel worth {v}
        the nutrition label says {v}
        for those who count calories: {v}
        a single helping amounts to {v}
    """,
            """
        {s} has {v}
        a plate gives you {v}
    """,
        ),
        field(
            "origin",
            values.place,
            "Origin | Where does it come from | Region",
            "origin | region",
            """
        it comes from {v}
        it is eaten in {v}
        it was first made in {v}
        people in {v} love it
        it is at home in {v}
        we found it in {v}
        in {v} it is known to all
        ...
        {v} is the home of {s}
        {v} is where cooks first made it
        {v} gave {s} to the world
        {v} has served it for centuries
        {v} is famous for {s}
        {v} claims it as its own
        {v} and its cooks are proud of it
        {v} is where you will find the best
        {v} was the birthplace of {s}
        {v} knows it as food for feast days
        the cooks of {v} have made it for ages
        on a trip to {v} we first tasted it
        every family in {v} has its own way to make {s}
        in the streets of {v} it is sold from carts
        cook it as they do in {v} and add no salt
        if you go to {v} you will see {s} on every menu
        farmers near {v} ate it in winter
        travellers brought it from {v} long ago
        from {v} it spread to the whole world
        grandmothers in {v} still make {s} by hand
        {s} has its roots in {v}
        where is it from? {v}
        a classic from {v}
        {s} is a speciality of {v}
        the tradition began in {v}
        we brought {s} home from a holiday in {v}
        it is the pride of {v}
        the recipe travelled here from {v}
        {s} is typical of the cooking in {v}
        it was born in the old kitchens of {v}
    """,
            """
        {s} comes from {v}
        people eat it in {v}
    """,
        ),
        WEBSITE,
        PRICE,
    ),
)

TRIP = Kind(
    "trip",
    ("it", "the train", "this flight", "the bus"),
    (
        "Travel notice",
        "Dear passenger,",
        "Your trip is booked.",
        "Information for travellers.",
        "Have a good trip!",
        "Please read this before you travel.",
    ),
    (
        field(
            "number",
            values.code,
            "Booking number | Booking code | Reservation number | Ticket number",
            "booking number | booking code | reservation number",
            """
        you are booked as {v}
        we booked it as {v}
        your ticket is {v}
        keep {v} at hand
        show {v} at the gate
        it is filed under {v}
        your booking is {v}
        please quote {v}
        ...
        {v} is the code you need at check-in
        {v} is printed at the top of your ticket
        {v} opens your booking online
        {v} must be given at the desk
        {v} - please have that ready when you board
        {v} is how we find you in our system
        {v} proves that you have booked {s}
        {v} was sent to you as a reference
        {v} should be typed in at check-in
        {v} is what the guard will ask for
        enter {v} to see your booking
        type {v} into the machine to print your ticket
        use {v} when you write to us about {s}
        without {v} you cannot check in
        your booking was saved as {v} in our system
        look up {v} on our site to change your booking
        give {v} to the staff at the desk
        the code {v} is all you need to board
        mention {v} if you call us about the trip
        your seat (reference {v}) has been confirmed
        the confirmation reads {v}
        your reference for this trip: {v}
        the code on your ticket says {v}
        which booking is it? {v}
        you can look up {s} under {v}
        in our computer you are known as {v}
        the ticket for {s} bears the code {v}
        the booking of {s} went through, reference {v}
        do not lose this code: {v}
        quote this when you ask about {s}: {v}
    """,
            """
        your reservation is {v}
        please show {v}
        it was booked as {v}
    """,
        ),
        field(
            "from",
            values.place,
            "Departure city | From | Where does it leave",
            "departure city | city of departure | origin",
            """
        it leaves from {v}
        you start in {v}
        it departs from {v}
        you get on in {v}
        it sets out from {v}
        we pick you up in {v}
        you travel from {v}
        the trip begins in {v}
        be in {v} in good time
        ...
        {v} is where you get on
        {v} is the place that {s} leaves behind
        {v} is our point of departure
        {v} is the first place on the route
        {v} is where your journey begins
        {v} is the starting point for {s}
        {v} is where we collect you
        {v} is where you should board
        {v} sees you off as you start
        {v} is where the driver waits for you
        board {s} in {v} and sit back
        find your platform in {v} before it leaves
        from {v} the road leads you away
        in {v} you climb aboard
        we wait for you in {v} and leave together
        say goodbye to {v} as you set out
        coming from {v} you will be on the road all day
        the way out of {v} is slow at first
        when you leave {v}, keep your ticket at hand
        you take {s} in {v} and stay on it
        where do you board? {v}
        you step aboard in {v}
        {s} picks up its first guests in {v}
        {s} pulls out of {v}
        the doors open for boarding in {v}
        before we leave, all travellers meet in {v}
        your point of departure: {v}
        we roll out of {v}
        the wheels start to turn in {v}
        you find {s} ready to leave in {v}
    """,
            """
        {s} departs from {v}
        the trip starts in {v}
        you leave from {v}
    """,
        ),
        field(
            "to",
            values.place,
            "Destination | To | Where does it go",
            "destination | final stop | city of arrival",
            """
        it goes to {v}
        it takes you to {v}
        you get off in {v}
        it is bound for {v}
        it arrives in {v}
        the trip ends in {v}
        you travel to {v}
        the last stop is {v}
        we bring you to {v}
        ...
        {v} is where you are going
        {v} is the end of the line
        {v} is waiting for you at the other end
        {v} is our goal
        {v} is the city that {s} heads for
        {v} is where everybody gets off
        {v} welcomes you when you step out
        {v} is as far as {s} goes
        {v} comes into sight as the trip draws to a close
        {v} lies at the end of your journey
        when you reach {v}, take your bags with you
        we will drop you in {v} and drive back
        in {v} you step out
        a seat to {v} has been kept for you
        the way to {v} is long but lovely
        your ticket is good as far as {v} and no further
        enjoy your stay in {v} after the ride
        {s} rolls into {v} and stops there
        get off when you see {v} on the sign
        once in {v}, all passengers have to leave {s}
        where to? {v}
        {s} ends its run in {v}
        you are on your way to {v}
        next and last stop: {v}
        you hold a one-way ticket to {v}
        your journey is over in {v}
        the sign on the front says {v}
        {s} will set you down in {v}
        the route leads to {v}
        at the end of the ride you wake up in {v}
    """,
            """
        {s} is bound for {v}
        we take you to {v}
        you arrive in {v}
    """,
        ),
        field(
            "leaves",
            values.clock,
            "Departure time | Departure | When does it leave",
            "departure time | departure",
            """
        it leaves at {v}
        it departs at {v}
        you set off at {v}
        it starts at {v}
        the doors close at {v}
        we go at {v}
        at {v} it sets out
        it pulls out at {v}
        ...
        {v} is when {s} rolls out
        {v} is the time on the departure board
        {v} is when we start the engine
        {v} is when the wheels begin to turn
        {v}, and off you go
        {v} has been set for take-off
        {v} is when we leave, with or without you
        {v} is the last moment to jump on board
        {v} is when the whistle blows and {s} moves
        {v} on the clock means that {s} is off
        be on board by {v} or it leaves without you
        at {v} the driver starts the engine
        we wait until {v} and then drive off
        {s} will not wait after {v} for anyone
        at {v} we say goodbye and roll away
        the gate shuts at {v} and {s} moves off
        board before {v} as we leave on time
        when it is {v}, {s} starts to move
        with take-off at {v} you should come early
        your departure ({v}) is on time
        when does it go? {v}
        take-off is at {v}
        the driver shuts the doors of {s} at {v}
        wheels up at {v}
        the whistle blows at {v}
        your trip gets going at {v}
        scheduled to leave: {v}
        wave goodbye to {s} as it leaves: {v}
        the departure board says {v}
        seat belts on and away we go: {v}
    """,
            """
        at {v} it leaves
        {s} departs at {v}
        we set off at {v}
    """,
        ),
        field(
            "arrives",
            values.clock,
            "Arrival time | Arrival | When does it arrive",
            "arrival time | arrival",
            """
        it arrives at {v}
        you get there at {v}
        it reaches the city at {v}
        we land at {v}
        it comes in at {v}
        at {v} you will be there
        you arrive at {v}
        it gets in at {v}
        ...
        {v} is when you step off
        {v} is when {s} should be in
        {v} is the time of landing
        {v} is when your friends can meet you off {s}
        {v} sees us at our goal
        {v} is when the journey is over
        {v} is when we expect to be there
        {v} at the latest, and {s} will have landed
        {v} is when we touch down
        {v}, and you have reached your last stop
        by {v} you will have reached the city
        at {v} you can step off
        at {v}, {s} rolls into the station
        we touch down at {v} if all goes well
        your family can meet you at {v} when you step off
        you should be there by {v} or a little later
        expect to land at {v} if the wind is kind
        until {v} you are on board, then you get off
        when {s} stops for good, it is {v} on the clock
        the landing ({v}) is on time
        when do you get there? {v}
        landing is planned for {v}
        {s} is due in at {v}
        you reach your goal at {v}
        touchdown is at {v}
        the trip is over by {v}
        {s} pulls into the station at {v}
        have someone pick you up from {s} at {v}
        expected at the other end: {v}
        the arrivals board says {v}
    """,
            """
        {s} arrives at {v}
        at {v} it comes in
        we get there at {v}
    """,
        ),
        field(
            "carrier",
            values.company,
            "Carrier | Airline | Operator | Operated by",
            "carrier | airline | operator",
            """
        it is run by {v}
        {v} takes you there
        you travel with {v}
        {v} operates it
        it is operated by {v}
        {v} wishes you a good trip
        you fly with {v}
        {v} carries you
        ...
        {v} looks after {s} from end to end
        {v} gets you where you want to go
        {v} is the company that moves you
        {v} has run this line for years
        {v} provides {s} and its crew
        {v} thanks you for travelling with us
        {v} and its crew welcome you on board
        {v} is glad to have you on board
        {v} is the airline of your choice
        {v} serves this route
        the crew of {v} will look after you
        on behalf of {v} we welcome you on board
        thank you for choosing {v} for this journey
        with {v} you travel in safe hands
        ask the staff of {v} if you need help on board
        the logo of {v} is on the side of {s}
        drivers from {v} are at the wheel
        we have asked {v} to run {s}
        a coach from {v} is going to pick you up
        complaints about {s} go to {v} as the company in charge
        who runs it? {v}
        {s} belongs to {v}
        the crew works for {v}
        {s} is a service of {v}
        on board you are the guest of {v}
        look for the sign of {v}
        the company that drives you: {v}
        transport is provided by {v}
        enjoy your ride with {v}
        {s} flies the flag of {v}
    """,
            """
        {s} is run by {v}
        you go with {v}
        {v} brings you there
    """,
        ),
        field(
            "passenger",
            values.person,
            "Passenger | Traveller | Who travels",
            "passenger | traveller",
            """
        it was booked for {v}
        {v} will travel
        the ticket is for {v}
        {v} is going
        it carries {v}
        we look forward to {v}
        {v} has a seat
        the seat is kept for {v}
        ...
        {v} is the name on the ticket
        {v} will be on board
        {v} should come to the gate
        {v} is the one who travels
        {v} has a place by the window
        {v} will sit in the third row
        {v} gets on with one bag
        {v} may board {s} now
        {v} is booked on {s}
        {v} has paid for a seat on {s}
        we expect {v} on board
        the ticket allows {v} to board {s}
        a place has been set aside for {v} by the window
        only {v} may use this ticket
        please let {v} board first
        we wish {v} a pleasant journey
        we have {v} down as travelling on {s}
        nobody but {v} may sit on this seat
        tell {v} to be at the gate early
        let the driver know that {v} is on board
        who is going? {v}
        on the list of passengers you see {v}
        the window seat belongs to {v}
        the person in this seat will be {v}
        this boarding card is good only for {v}
        the one who travels: {v}
        there is a place on {s} for {v}
        we say welcome on board to {v}
        {s} waits for {v}
        the pass for {s} carries the name of {v}
    """,
            """
        {v} will be going
        the seat was booked for {v}
        the ticket was made out to {v}
    """,
        ),
        field(
            "day",
            values.date,
            "Travel date | Date | Day of travel",
            "travel date | date | day of travel",
            """
        you travel on {v}
        it is on {v}
        the trip is on {v}
        it goes on {v}
        you leave on {v}
        on {v} you set off
        it is booked for {v}
        ...
        {v} is the day you go
        {v} is when your journey takes place
        {v} is the day {s} will run
        {v} is the day printed on the ticket
        {v} is when you pack your bags and go
        {v} is your day on the road
        {v} only: the ticket is not valid on other days
        {v} has been set as the day for {s}
        {v} is the day to be at the station
        {v} will be spent on the road
        on {v} you will be on board
        the ticket is valid on {v} only
        pack your bags before {v} as you leave then
        we moved your trip to {v} because of the strike
        if you cannot go on {v}, please tell us
        come to the station on {v} with your ticket
        your seat is kept for {v} and no other day
        get up early on {v} to catch {s}
        on {v}, {s} will be waiting for you
        as {v} is a busy day, come early for {s}
        which day? {v}
        your ticket is good for {v}
        you can board {s} only on {v}
        the journey is planned for {v}
        we see you at the station on {v}
        day of the journey: {v}
        {s} has you on board on {v}
        your holiday begins on {v}
        {s} was put back to {v}
        the whole trip falls on {v}
    """,
            """
        on {v} you travel
        {s} goes on {v}
        you set off on {v}
    """,
        ),
        PRICE,
        PHONE,
    ),
)

PET = Kind(
    "pet",
    ("it", "the animal", "our friend", "this one"),
    (
        "Looking for a home.",
        "News from the shelter.",
        "Who would like a pet?",
        "An animal needs you.",
        "Our guest of the week.",
        "Could you give it a home?",
    ),
    (
        field(
            "pet",
            values.proper,
            "Name | Name of the animal | What is it called",
            "name | pet name",
            """
        this is {v}
        meet {v}
        {v} needs a home
        we call it {v}
        its friends say {v}
        it goes by {v}
        it listens to {v}
        {v} is waiting for you
        it is called {v}
        say hello to {v}
        ...
        {v} is the name on its collar
        {v} is how everyone here knows it
        {v} would love to meet you
        {v} has been its name from the first day
        {v} is what the children call {s}
        {v} will come running if you call
        {v} was the name that stuck
        {v} is hoping for a family of its own
        {v} - that is what we shout when dinner is ready
        {v} can be visited every afternoon
        the staff picked {v} as its name
        could {v} be the one for you
        give {v} a second chance
        if you say {v} to it, it looks up
        we wrote {v} on its bowl
        when you hear {v} in the yard, {s} is near
        our dear {v} is ready to move in
        please come and see {v} at the shelter
        they chose {v} as a name for {s}
        the name {v} was given to {s} at birth
        {s} answers to {v}
        its name is {v}
        the name tag of {s} reads {v}
        who is this? {v}
        let us introduce {v}
        say its name and it comes: {v}
        {s} was christened {v}
        its papers bear the name {v}
        you will soon be friends with {v}
        everyone here is in love with {v}
    """,
            """
        {v} is looking for a home
        here is {v}
        we named it {v}
    """,
        ),
        field(
            "species",
            animal,
            "Species | Kind of animal | What animal is it",
            "species | kind of animal | animal",
            """
        it is a {v}
        you see a {v}
        we have a {v}
        a {v} came to us
        it looks like a {v}
        we took in a {v}
        we found a {v}
        a {v} wants to move in
        ...
        {v} by species, in need of a new home
        {v} is the sort of creature in the photo
        {v} to give away
        {v} is the kind of animal we have here
        {v} - a fine sort of animal with a good heart
        {v} is what the animal guide calls it
        {v}: the right animal for a patient owner
        {v} is the best way to say what {s} is
        {v} - so says the card on the cage
        {v} is what the keeper put under kind of animal
        what a fine {v} it is
        as a {v} it needs room to run
        there is a {v} in our care
        one morning a {v} sat in front of our door
        have you ever wanted a {v} as a friend
        this {v} is used to children
        {s} is a {v} at heart
        no other {v} is as sweet as {s}
        the {v} in our yard would like some company
        whoever has kept a {v} before knows how {s} feels
        which animal is it? a {v}
        in the cage sits a {v}
        by its kind, {s} is a {v}
        no more and no less than a {v}
        the experts are sure that {s} is a {v}
        on the sofa lies a {v}
        our newest guest is a {v}
        the animal in question is a {v}
        the picture does not lie: a {v}
        if you want to know what {s} is, a {v}
    """,
            """
        we look after a {v}
        a {v} was found
        here you see a {v}
    """,
        ),
        field(
            "age",
            values.measure("years", "months", "weeks"),
            "Age | How old is it",
            "age",
            """
        it is {v} old
        it was born {v} ago
        it has lived for {v}
        it has been in this world for {v}
        at {v} it is still young
        it counts {v}
        {v} have passed since it was born
        ...
        {v} is its age
        {v} is how long it has been alive
        {v} is no great age for {s}
        {v} of life lie behind {s}
        {v} is our guess at its age, by the teeth
        {v} is how old the doctor thinks it is
        {v} have gone by since its birth
        {v} is not too old to learn
        {v} young, and full of life
        {v} is given as the age in its papers
        it turned {v} last week
        it is about {v} of age
        having lived {v} on this earth, {s} is calm
        going by its teeth, {v} is a likely age
        it reached the age of {v} this spring
        with {v} of life behind it, {s} knows people
        only {v} have passed since its mother had it
        it came into the world some {v} back
        an age of {v} is what the card says
        after {v} on four legs it still likes to play
        {s} has reached the age of {v}
        how old? about {v}
        its age is put at {v}
        we think {s} is aged {v}
        the age we were told is {v}
        it has already lived to be {v}
        from birth to today makes {v}
        our guess at how old {s} is: {v}
        so far its life has lasted {v}
        count from the day it was born: {v}
    """,
            """
        {s} is {v} old
        {v} ago it was born
    """,
        ),
        field(
            "food",
            values.several(values.INGREDIENTS),
            "Food | What does it eat | Favourite food",
            "food | favourite food",
            """
        it eats {v}
        it likes {v}
        give it {v}
        it loves to eat {v}
        it is fed with {v}
        we feed it {v}
        it lives on {v}
        it will do anything for {v}
        ...
        {v} are on its menu
        {v} is what it gets for breakfast
        {v} in the bowl make {s} happy
        {v} is a meal that it never leaves
        {v} will win its heart at dinner
        {v} is all it wants to eat
        {v} go down best at meal times
        {v} should be in its bowl each morning
        {v} are its favourite treats
        {v} is the diet that {s} was raised on
        we fill its bowl with {v} every day
        it would give its soul for {v} at dinner
        keep some {v} in the kitchen for {s}
        a bowl of {v} is its idea of heaven
        it will not touch anything but {v} at meals
        offer it {v} as a reward
        its meals are made of {v} for the most part
        when it smells {v} it comes to the table
        it cannot say no to {v} for dessert
        {s} has a taste for {v} in the evening
        for dinner {s} gets {v}
        its diet consists of {v}
        nothing tastes better to {s} than {v}
        before it moves in, fill the cupboard with {v}
        what does it get to eat? {v}
        its favourite meal is {v}
        at feeding time there must be {v}
        {s} begs for {v}
        it grows fat on {v}
        the best snack for it would be {v}
    """,
            """
        {s} eats {v}
        feed it {v}
        it loves {v}
    """,
        ),
        field(
            "vet",
            values.person,
            "Vet | Doctor | Who treats it",
            "vet | doctor",
            """
        {v} treats it
        it was seen by {v}
        {v} has examined it
        it goes to {v} for its shots
        {v} looked at it
        it is a patient of {v}
        {v} says it is well
        ...
        {v} is its doctor
        {v} gave it all its shots
        {v} at the clinic takes care of its health
        {v} is the vet in charge
        {v} has its medical file
        {v} will do the next check-up
        {v} did the operation on its leg
        {v} is the one to call if {s} falls ill
        {v} has signed its health pass
        {v} was the vet who saved {s}
        ask {v} for its health report
        if it is sick, take it to {v} at once
        we trust {v} with its health
        we let {v} look at its ears
        the pills from {v} are for its stomach
        by order of {v} it must rest for a week
        thanks to {v} it is in good health again
        it was in the practice of {v} for a blood test
        a visit to {v} is due for its next vaccination
        as a vet, {v} has no worries about {s}
        its vet is called {v}
        the doctor in charge of {s} is {v}
        its wounds were sewn up by {v}
        {s} got its chip from {v}
        who is the vet? {v}
        for medical questions about {s}, turn to {v}
        it has been declared healthy by {v}
        the surgery on {s} was done by {v}
        {s} is under medical care with {v}
        its medicine comes from {v}
    """,
            """
        {v} has seen it
        it was treated by {v}
        it is examined by {v}
    """,
        ),
        field(
            "found",
            values.place,
            "Found in | Where was it found | Place found",
            "place it was found | place found",
            """
        it was found in {v}
        we found it in {v}
        it came to us from {v}
        it was picked up in {v}
        somebody saw it in {v}
        it ran about in {v}
        it grew up in {v}
        ...
        {v} is where it was found
        {v} was where we first saw {s}
        {v} is the town it was rescued from
        {v} was its home before the shelter
        {v} is where it had been left behind
        {v} is the place where it got lost
        {v} at night: there a driver spotted it
        {v} is where it lived on the street
        {v} was the place of its rescue
        {v} is where the finder met {s}
        in {v} it was left at the side of the road
        a walker in {v} had found {s}
        the police in {v} brought it to us
        it was sitting in a box in {v} when we came
        on the streets of {v} it had no one
        near {v} it was caught at last
        people from {v} handed {s} in
        a family in {v} saw it under their car
        we drove to {v} to fetch it
        it had been on the run in {v} for days
        a child discovered {s} in {v} under a bench
        {s} was left alone in {v}
        it strayed through the streets of {v}
        where did it turn up? in {v}
        {s} was rescued from a cellar in {v}
        a stranger came across it in {v}
        the spot where we met {s} is in {v}
        its trail leads back to {v}
        somebody had tied it to a tree in {v}
        {s} turned up one morning in {v}
    """,
            """
        {s} was picked up in {v}
        somebody found it in {v}
    """,
        ),
        field(
            "since",
            values.date,
            "In the shelter since | Arrival | When did it arrive",
            "date of arrival | arrival",
            """
        it has been here since {v}
        it came to us on {v}
        we took it in on {v}
        it arrived on {v}
        since {v} it has lived here
        on {v} it came in
        ...
        {v} was the day it arrived
        {v} is when it came to the shelter
        {v} was its first day with us
        {v} is the date of its arrival
        {v} was when we opened the door to {s}
        {v} is in our books as the day it came
        {v} is the day from which we have cared for it
        {v} was the day {s} moved in
        {v} is how far back its stay goes
        {v}: on this day {s} was handed in
        it moved in with us on {v} and never left
        as of {v} it has a bed here
        from {v} on it has been our guest
        it spent its first night here on {v} in a box
        we have had {s} since {v} in our biggest room
        on {v} somebody left it at our gate
        it has been waiting since {v} for a family
        after it came on {v} it slept for two days
        since its arrival on {v} it has gained weight
        we have been feeding {s} here since {v} with success
        its stay with us began on {v}
        {s} joined us on {v}
        it was handed in on {v}
        the shelter has cared for {s} since {v}
        it was brought to us on {v}
        when did it come? on {v}
        its first day here was {v}
        it has lived at the shelter since {v}
        we wrote down the day it came: {v}
        {s} crossed our doorstep on {v}
    """,
            """
        on {v} we took it in
        {s} arrived on {v}
    """,
        ),
        field(
            "fee",
            values.money,
            "Fee | Adoption fee | What does it cost",
            "fee | adoption fee",
            """
        we ask for a fee of {v}
        you give us {v} for it
        it costs {v} to take it home
        {v} is asked for it
        you pay {v} to the shelter
        for {v} you can take it home
        ...
        {v} is the fee
        {v} is what we ask to cover its shots
        {v} is due when you take it home
        {v} goes to the shelter if you adopt it
        {v} in cash, and it is yours
        {v} will be charged for the adoption
        {v} is not much for a friend
        {v} to the shelter and {s} may go with you
        {v} is the sum that the new owner pays
        {v} has to be paid before {s} may leave
        you leave {v} with us and take it along
        the new family pays {v} for {s}
        we charge {v} to cover food and shots
        bring {v} with you when you fetch it
        for a gift of {v} it can move in with you
        the adoption costs {v} in all
        once you have paid {v}, it is yours
        please put {v} in our box and take {s} with you
        a fee of {v} is paid on adoption
        with {v} you help the shelter that raised {s}
        the adoption fee is {v}
        to adopt it you pay {v}
        what do you pay for it? {v}
        {s} can be yours for {v}
        the shelter charges a fee of {v}
        adopting {s} will set you back {v}
        we let it go for {v}
        our fee for {s} comes to {v}
        the new owner is asked to give {v}
        for its shots and food we would like {v}
    """,
            """
        you can take it home for {v}
        we ask {v} for it
    """,
        ),
        CONTACT,
        PHONE,
        WEBSITE,
    ),
)

KINDS = (MODEL, INVOICE, JOB, PAPER, EVENT, PRODUCT, PROPERTY, RECIPE, TRIP, PET)
TRAINED = {*FRAMES, *LINES, *(pattern for kind in KINDS for each in kind.fields for pattern in each.train)}
ALL_HELD_OUT = {
    *HELD_OUT_FRAMES,
    *HELD_OUT_LINES,
    *(pattern for kind in KINDS for each in kind.fields for pattern in each.held_out),
}


def unseen(field: Field) -> tuple[str, ...]:
    """The field's held-out patterns, without those that training has after all: for another field, or but for "it" in
    place of the subject."""
    return tuple(pattern for pattern in field.held_out if pattern.replace("{s}", "it") not in TRAINED)
