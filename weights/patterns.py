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
    train: tuple[str, ...]
    held_out: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """One kind of document: the words for its subject, how it opens, and what it may say."""

    name: str
    subjects: tuple[str, ...]
    openings: tuple[str, ...]
    fields: tuple[Field, ...]


def field(name: str, make: Maker, keys: str, heads: str, train: str, held_out: str) -> Field:
    """A field from plain text: wordings and nouns between bars, patterns one a line."""
    return Field(name, bars(keys), bars(heads), make, lines(train), lines(held_out))


def bars(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|"))


def lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


FRAMES = lines("""
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
